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
  const OptionHandle data =
      options
          .text("--data", a.data, "SET",
                "Pictures with classes, as `evaluate` takes them: counts right answers")
          .not_empty();
  options.file("--labels", a.labels, "With --data: names of the classes, one per line").needs(data);
  options.number("--limit", a.limit, "N", "With --data: so many samples; all without it")
      .range(1, 1000000000)
      .needs(data);
  options.list("--mean", a.mean, "X,..",
               "Of pictures: (pixel - mean) / std; one or one per channel");
  options.list("--std", a.std, "X,..", "0 and 255 without them");
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
