// The arguments of `train`.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct TrainArguments {
  std::string cases, only;
  Output output;
  bool compare = false;
  std::optional<int> threads;
};

void declare(OptionSet& options, TrainArguments& a);
Result<int> execute(const TrainArguments& a, Console& console);

}  // namespace edgetwin::cli
