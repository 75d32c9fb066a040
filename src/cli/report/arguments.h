// The arguments of `report`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/compute_arguments.h"
#include "cli/shared/max78_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct ReportArguments {
  std::string model;
  std::vector<std::string> inputs;
  ComputeArguments compute;
  Max78Arguments max78;
  Output output;
  std::string reference;
  double tolerance = 0.0;
};

void declare(OptionSet& options, ReportArguments& a);
Result<int> execute(const ReportArguments& a, Console& console);

}  // namespace edgetwin::cli
