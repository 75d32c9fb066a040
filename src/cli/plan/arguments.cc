#include "cli/plan/arguments.h"

#include "targets/target.h"

namespace edgetwin::cli {

void declare(OptionSet& options, PlanArguments& a) {
  options
      .positional("NETWORK", a.max78.network,
                  "A network description, .yaml, without\nprocessors, offsets or gaps, or some of "
                  "them;\nor a float network, .onnx")
      .required();
  options.target(a.max78.target, targets::targets_with("plan")).required();
  declare_max78_inputs(options, a.max78);
  declare_objective(options, a.max78);
  declare_calibrate(options, a.max78);
  options.file(
      "-o,--output", a.output,
      "The complete description; of a float network\nbeside it NAME.pth.tar and sample_NAME.npy");
  options.force("Overwrite an existing file");
}

Verb verb_plan() {
  return {.name = "plan",
          .group = group::kNetworks,
          .summary = "Processor maps and offsets that a network leaves out",
          .example =
              "edgetwin plan net.yaml --target max78000 --checkpoint net.pth.tar "
              "--sample s.npy -o complete.yaml",
          .notes = "Options of the vendor's loader are taken under its names: --fifo, …",
          .declare = declaration_of<PlanArguments>()};
}

}  // namespace edgetwin::cli
