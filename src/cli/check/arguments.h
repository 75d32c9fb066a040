// The arguments of `check`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/max78_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct CheckArguments {
  std::string model, target, key, member;
  std::vector<std::string> shapes;
  std::string params;  // of a picture pipeline for ESP-DL
  Max78Arguments max78;
  bool strict = false;
  bool fail_on_fallback = false;  // of a network for the Edge TPU
};

void declare(OptionSet& options, CheckArguments& a);
Result<int> execute(const CheckArguments& a, Console& console);

}  // namespace edgetwin::cli
