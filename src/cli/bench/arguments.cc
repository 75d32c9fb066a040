#include "cli/bench/arguments.h"

namespace edgetwin::cli {

namespace {

constexpr int kMaxRuns = 1000000;

}  // namespace

void declare(OptionSet& options, BenchArguments& a) {
  options
      .positional("MODEL", a.model,
                  "A .tflite, .espdl or .onnx file, or a network .yaml for a MAX78000")
      .required();
  declare_inputs(options, a.inputs);
  declare(options, a.compute);
  options.number("--runs", a.runs, "N", "Measured runs; 50 without it").range(1, kMaxRuns);
  declare(options, a.device, {});
  declare_max78_inputs(options, a.max78);
  declare_input_shape(options, a.max78);
}

Verb verb_bench() {
  return {.name = "bench",
          .group = group::kNetworks,
          .summary = "Measures how long a model takes here",
          .example = "edgetwin bench model.tflite --threads 2",
          .declare = declaration_of<BenchArguments>()};
}

}  // namespace edgetwin::cli
