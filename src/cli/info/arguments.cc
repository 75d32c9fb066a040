#include "cli/info/arguments.h"

#include "targets/target.h"

namespace edgetwin::cli {

void declare(OptionSet& options, InfoArguments& a) {
  options
      .positional("FILE", a.files,
                  "Models (.tflite, .espdl, .onnx), arrays (.npy, .npz), pictures (PNG, JPEG, BMP)")
      .required();
  options.folder("--companions", a.companions,
                 "Folder for NAME.info and NAME.json, as ESP-DL's exporter writes them");
  options.text("--key", a.key, "HEX", "The 16 bytes of an encrypted .espdl file, hexadecimal");
  declare_shapes(options, a.shapes);
  options.force("Overwrite existing companions");
  options.flag("--program", a.program,
               "Of a compiled Edge TPU model: its layers with instructions, tiles and memory");
  options.target(a.target, "Of a network .yaml: " + targets::target_names({Family::max78}, " or "));
  declare_max78_inputs(options, a.max78);
  declare_input_shape(options, a.max78);
}

Verb verb_info() {
  return {.name = "info",
          .group = group::kNetworks,
          .summary = "What a file is and what is inside",
          .example = "edgetwin info model.tflite",
          .declare = declaration_of<InfoArguments>()};
}

}  // namespace edgetwin::cli
