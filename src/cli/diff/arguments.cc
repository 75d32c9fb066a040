#include "cli/diff/arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, DiffArguments& a) {
  options.positional("A", a.a, "An array (.npy, .npz), picture, model, or folder (trace or output)")
      .required();
  options.positional("B", a.b, "The same kind of thing").required();
  options
      .number("--tolerance", a.tolerance, "X",
              "Elements that differ by at most so much count as equal;\n0 is bit for bit")
      .not_negative();
}

Verb verb_diff() {
  return {.name = "diff",
          .group = group::kNetworks,
          .summary = "Equal or not, and where not first",
          .example = "edgetwin diff trace_of_board trace_of_twin",
          .declare = declaration_of<DiffArguments>()};
}

}  // namespace edgetwin::cli
