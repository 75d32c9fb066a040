// The arguments of `compare`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct CompareArguments {
  std::vector<std::string> networks, calibrate, targets, shapes;
  std::string data, labels;
  std::vector<float> mean, std;
  int limit = 0;
  int samples = 32, threads = 1;
  Output report;
};

void declare(OptionSet& options, CompareArguments& a);
Result<int> execute(const CompareArguments& a, Console& console);

}  // namespace edgetwin::cli
