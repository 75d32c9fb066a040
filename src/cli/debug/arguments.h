// The arguments of `debug`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/device_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct DebugArguments {
  std::string model, script, weights;
  std::vector<std::string> inputs, commands;
  bool caching = false;
  int op = 0;
  DeviceArguments device;
};

void declare(OptionSet& options, DebugArguments& a);
Result<int> execute(const DebugArguments& a, Console& console);

}  // namespace edgetwin::cli
