// The arguments of `diff`.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct DiffArguments {
  std::string a, b;
  double tolerance = 0.0;
};

void declare(OptionSet& options, DiffArguments& a);
Result<int> execute(const DiffArguments& a, Console& console);

}  // namespace edgetwin::cli
