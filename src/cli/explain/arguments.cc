#include "cli/explain/arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, ExplainArguments& a) {
  options.positional("ID", a.id, "The id in an error's brackets; without it all are listed")
      .kind(ValueKind::text);
}

Verb verb_explain() {
  return {.name = "explain",
          .group = group::kHelp,
          .summary = "What an error id means, and what to try",
          .example = "edgetwin explain FMT-NPY-01",
          .declare = declaration_of<ExplainArguments>()};
}

}  // namespace edgetwin::cli
