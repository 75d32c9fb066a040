// The arguments of `decode`.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct DecodeArguments {
  std::string decoder, outputs, params, labels, picture;
  Output output, draw;
};

void declare(OptionSet& options, DecodeArguments& a);
Result<int> execute(const DecodeArguments& a, Console& console);

}  // namespace edgetwin::cli
