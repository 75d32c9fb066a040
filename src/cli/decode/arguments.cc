#include "cli/decode/arguments.h"

#include "decode/espdl/decode.h"

namespace edgetwin::cli {

void declare(OptionSet& options, DecodeArguments& a) {
  options
      .text("--decode", a.decoder, "NAME",
            "Whose post-processor; docs/espdl-decode.md says what each takes")
      .choices(espdl_decode::decoder_names())
      .required();
  options.folder("--outputs", a.outputs, "Folder with outputs.json, as edgetwin run -o writes it");
  options.file("--params", a.params, "Sizes, thresholds and files (JSON)").required();
  options.file("--labels", a.labels,
               "Text file, a class per line; for espdl-ocr-rec the dictionary, line 1 for class 0");
  const OptionHandle picture = options.file("-i,--input", a.picture, "The picture, for --image");
  options.file("--image,--draw", a.draw, "Draws the result on the picture (.png)").needs(picture);
  options.folder("-o,--output", a.output, "Folder for result.json and arrays").required();
  options.force("Overwrite existing outputs");
}

Verb verb_decode() {
  return {
      .name = "decode",
      .group = group::kEspdl,
      .summary = "Outputs into boxes, classes, texts, as on the chip",
      .example = "edgetwin decode --decode espdl-yolo11 --outputs out --params p.json -o result",
      .declare = declaration_of<DecodeArguments>()};
}

}  // namespace edgetwin::cli
