#include "cli/preprocess/arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, PreprocessArguments& a) {
  options
      .positional("PICTURE", a.picture,
                  "A picture (PNG, JPEG, BMP), or its bytes as .npy of rows, columns and bytes per "
                  "pixel")
      .required();
  options.text("--like", a.like, "NAME", "Whose picture pipeline: espdl")
      .choices({"espdl"})
      .required();
  options
      .file("--params", a.params,
            "What the pipeline is told (JSON); docs/espdl-image.md has the members")
      .required();
  const OptionHandle model =
      options.file("--model", a.model,
                   "Model (.espdl) that supplies width, height, exponent and target of its input");
  options.text("--key", a.key, "HEX", "Of an encrypted model: 32 hexadecimal digits")
      .not_empty()
      .needs(model);
  options.file("-o,--output", a.output, "File for the input tensor (.npy)").required();
  options.force("Overwrite an existing output");
}

Verb verb_preprocess() {
  return {.name = "preprocess",
          .group = group::kEspdl,
          .summary = "A picture as the chip brings it into a network",
          .example = "edgetwin preprocess cat.png --like espdl --params p.json -o input.npy",
          .declare = declaration_of<PreprocessArguments>()};
}

}  // namespace edgetwin::cli
