// The arguments of `firmware`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/compute_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct FirmwareArguments {
  std::vector<std::string> models;
  std::vector<std::string> inputs;
  ComputeArguments compute;
  std::string output, place = "rodata";
  bool lut = false;
  bool force = false;
};

void declare(OptionSet& options, FirmwareArguments& a);
Result<int> execute(const FirmwareArguments& a, Console& console);

}  // namespace edgetwin::cli
