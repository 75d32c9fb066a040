#include "cli/estimate/arguments.h"

#include "cli/shared/compute_arguments.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

constexpr const char* kEspGroup = "ESP32-S3, ESP32-P4";
constexpr const char* kTpuGroup = "Edge TPU";

void declare_esp(OptionSet& all, EstimateArguments& a) {
  OptionSet options = all.in_group(kEspGroup);
  options.text("--board", a.board, "NAME", "Board; an unknown one lists all").not_empty();
  options.text("--runtime", a.runtime, "WHICH", "Generation of ESP-DL")
      .choices({"tree", "current"});
  options.number("--cores", a.cores, "N", "1 or 2; 1 without it").range(1, 2);
  options.text("--model-in", a.model_in, "PLACE", "Where the model lies; flash without it")
      .choices({"flash", "xip", "sdcard"});
  options.flag("--no-param-copy", a.no_param_copy, "Parameters are read from flash");
  options.number("--internal", a.internal, "BYTES",
                 "max_internal_size of the runtime; 0 without it");
  options.number("--reserve", a.reserve, "BYTES", "PSRAM that the program itself takes");
  declare_key(options, a.key);
  options.text("--model", a.member, "NAME", "Which model of a package, by name or number")
      .not_empty();
}

}  // namespace

void declare(OptionSet& options, EstimateArguments& a) {
  options
      .positional("MODEL", a.model,
                  "A network .yaml or register program for a MAX78000, an .espdl file,\nor a "
                  ".tflite file for the Edge TPU, compiled or not")
      .required();
  options.target(a.target, targets::targets_with("estimate"));
  options.number("--clock", a.clock, "MHZ", "Clock of the accelerator or processor").positive();
  options.flag("--layers", a.layers, "Also a line for each layer");
  options.file("--image", a.image, "Also writes the memory over time, .svg");
  declare_esp(options, a);
  options.in_group(kTpuGroup)
      .text("--host", a.host, "HOST", "What the chip is attached to; usb3 without it")
      .choices({"usb3", "usb2", "pcie", "rpi4"});
  declare_max78_inputs(options, a.max78);
  OptionSet max78 = options.in_group(kMax78Group);
  max78.text("--input", a.input, "HOW", "How the input comes; by the options without it")
      .choices({"fifo", "memory"});
  max78.text("--core", a.core, "CORE", "Which core drives it").choices({"arm", "riscv"});
  max78.file("--network", a.max78.network, "Of a register program: its description, .yaml");
  declare_input_shape(options, a.max78);
  options.force("Overwrite existing files");
}

Verb verb_estimate() {
  return {.name = "estimate",
          .group = group::kNetworks,
          .summary = "Time, energy and room before the board, as ranges",
          .example = "edgetwin estimate model.espdl --target esp32s3 --runtime tree --layers",
          .declare = declaration_of<EstimateArguments>()};
}

}  // namespace edgetwin::cli
