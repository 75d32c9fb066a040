// The arguments of `plan`.
#pragma once

#include "base/result.h"
#include "cli/shared/max78_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct PlanArguments {
  Max78Arguments max78;
  Output output;
};

void declare(OptionSet& options, PlanArguments& a);
Result<int> execute(const PlanArguments& a, Console& console);

}  // namespace edgetwin::cli
