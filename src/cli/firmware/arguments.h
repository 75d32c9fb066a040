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
  Output output;
  std::string place = "rodata";
  bool lut = false;
  // Of a picture.
  std::string picture, decode, params, labels;
  std::vector<std::string> then_decode;
};

void declare(OptionSet& options, FirmwareArguments& a);
Result<int> execute(const FirmwareArguments& a, Console& console);

}  // namespace edgetwin::cli
