// The arguments of `report`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/compute_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct ReportArguments {
  std::string model;
  std::vector<std::string> inputs;
  ComputeArguments compute;
  std::string output, reference;
  double tolerance = 0.0;
  bool force = false;
};

void declare(OptionSet& options, ReportArguments& a);
Result<int> execute(const ReportArguments& a, Console& console);

}  // namespace edgetwin::cli
