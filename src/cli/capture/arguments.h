// The arguments of `capture`.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct CaptureArguments {
  std::string file, address, replay;
};

void declare(OptionSet& options, CaptureArguments& a);
Result<int> execute(const CaptureArguments& a, Console& console);

}  // namespace edgetwin::cli
