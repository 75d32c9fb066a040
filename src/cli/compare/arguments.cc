#include "cli/compare/arguments.h"

#include "cli/shared/compute_arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, CompareArguments& a) {
  options.positional("NET.onnx", a.networks, "Float networks").required().source();
  options
      .several(
          "--calibrate", a.calibrate, "DATA",
          "Samples as `quantize` takes them; of several networks one for each,\nin their order")
      .required();
  options.text("--data", a.data, "DIR", "Data set with labels, for accuracy").not_empty();
  options.list("--targets", a.targets, "NAME,..", "Chips; all without it");
  options.number("--samples", a.samples, "N", "At most so many are read; 32 without it")
      .range(1, 100000);
  options.number("--threads", a.threads, "N", "Chips side by side; changes no byte").range(1, 256);
  declare_shapes(options, a.shapes);
  options.file("--report", a.report, "Also writes a page, .html");
  options.force("Overwrite existing files");
}

Verb verb_compare() {
  return {.name = "compare",
          .group = group::kNetworks,
          .summary = "One float network on all chips: room, time, noise",
          .example = "edgetwin compare net.onnx --calibrate samples.npy --report chips.html",
          .declare = declaration_of<CompareArguments>()};
}

}  // namespace edgetwin::cli
