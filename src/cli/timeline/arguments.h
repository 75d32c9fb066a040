// The arguments of `timeline`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct TimelineArguments {
  std::string model;
  std::vector<std::string> orders;  // SEED or FIRST..LAST
  int data = 1;
  int tile = 0;
  bool no_races = false;
  Output trace, picture;
};

void declare(OptionSet& options, TimelineArguments& a);
Result<int> execute(const TimelineArguments& a, Console& console);

}  // namespace edgetwin::cli
