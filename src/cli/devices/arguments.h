// The arguments of `devices`.
#pragma once

#include "base/result.h"
#include "cli/shared/device_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct DevicesArguments {
  DeviceArguments device;
};

void declare(OptionSet& options, DevicesArguments& a);
Result<int> execute(const DevicesArguments& a, Console& console);

}  // namespace edgetwin::cli
