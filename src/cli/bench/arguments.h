// The arguments of `bench`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/compute_arguments.h"
#include "cli/shared/device_arguments.h"
#include "cli/shared/max78_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct BenchArguments {
  std::string model;
  std::vector<std::string> inputs;
  ComputeArguments compute;
  Max78Arguments max78;
  int runs = 50;
  DeviceArguments device;
};

void declare(OptionSet& options, BenchArguments& a);
Result<int> execute(const BenchArguments& a, Console& console);

}  // namespace edgetwin::cli
