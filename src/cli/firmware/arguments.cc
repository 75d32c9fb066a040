#include "cli/firmware/arguments.h"

#include "edgetwin/vision.h"

namespace edgetwin::cli {

namespace {

void declare_picture(OptionSet options, FirmwareArguments& a) {
  const OptionHandle picture =
      options.file("--with-picture", a.picture,
                   "A picture: the application brings it into the models, one after\nthe other, as "
                   "the chip does, and each stage is compared");
  options
      .text("--decode", a.decode, "NAME",
            "With --with-picture: what reads the first model's outputs")
      .choices(vision_decoders())
      .needs(picture);
  options
      .repeated("--then-decode", a.then_decode, "NAME", "What reads each further model's outputs")
      .choices(vision_decoders())
      .needs(picture);
  options
      .file("--params", a.params,
            "What differs from the published models (JSON), as of run --decode")
      .needs(picture);
  options
      .file(
          "--labels", a.labels,
          "Names of the last model's classes, or the dictionary of its\ntexts: the chip's own are "
          "compared with them")
      .needs(picture);
}

}  // namespace

void declare(OptionSet& options, FirmwareArguments& a) {
  options.positional("MODEL", a.models, ".espdl files").required();
  declare_inputs(options, a.inputs);
  declare(options, a.compute);
  options.folder("-o,--output", a.output, "Folder of the application").required();
  options.text("--place", a.place, "PLACE", "Where the models lie: rodata or partition")
      .choices({"rodata", "partition"});
  options.flag("--lut", a.lut, "Also sweeps every look-up table over all inputs");
  declare_picture(options.in_group("Pictures"), a);
  options.force("Overwrite existing files");
}

Verb verb_firmware() {
  return {.name = "firmware",
          .group = group::kEspdl,
          .summary = "ESP-IDF application that verifies models on the chip",
          .example = "edgetwin firmware model.espdl --target esp32s3 --lut -o app",
          .declare = declaration_of<FirmwareArguments>()};
}

}  // namespace edgetwin::cli
