// The arguments of `info`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/compute_arguments.h"
#include "cli/shared/max78_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct InfoArguments {
  std::vector<std::string> files, shapes;
  std::string target;
  Max78Arguments max78;
  std::string key;
  Output companions;
  bool program = false;  // of compiled Edge TPU models
};

void declare(OptionSet& options, InfoArguments& a);
Result<int> execute(const InfoArguments& a, Console& console);

}  // namespace edgetwin::cli
