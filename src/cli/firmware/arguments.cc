#include "cli/firmware/arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, FirmwareArguments& a) {
  options.positional("MODEL", a.models, ".espdl files").required();
  declare_inputs(options, a.inputs);
  declare(options, a.compute);
  options.folder("-o,--output", a.output, "Folder of the application").required();
  options.text("--place", a.place, "PLACE", "Where the models lie: rodata or partition")
      .choices({"rodata", "partition"});
  options.flag("--lut", a.lut, "Also sweeps every look-up table over all inputs");
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
