// The arguments of `explain`.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct ExplainArguments {
  std::string id;
};

void declare(OptionSet& options, ExplainArguments& a);
Result<int> execute(const ExplainArguments& a, Console& console);

}  // namespace edgetwin::cli
