// The arguments of `probe`.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct ProbeArguments {
  std::string model, reference, layer = "0", at, against, matrix;
  std::optional<int64_t> offset;
  std::optional<int> value, byte;
  bool sweep = false;
  Output output;
};

void declare(OptionSet& options, ProbeArguments& a);
Result<int> execute(const ProbeArguments& a, Console& console);

}  // namespace edgetwin::cli
