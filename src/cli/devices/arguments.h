// The arguments of `devices`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/device_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct DevicesArguments {
  DeviceArguments device;
  bool registers = false;
  std::vector<std::string> accesses;  // NAME or NAME=VALUE
};

void declare(OptionSet& options, DevicesArguments& a);
Result<int> execute(const DevicesArguments& a, Console& console);

}  // namespace edgetwin::cli
