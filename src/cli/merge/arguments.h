// The arguments of `merge`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct MergeArguments {
  std::vector<std::string> parts;
  Output output, report;
};

void declare(OptionSet& options, MergeArguments& a);
Result<int> execute(const MergeArguments& a, Console& console);

}  // namespace edgetwin::cli
