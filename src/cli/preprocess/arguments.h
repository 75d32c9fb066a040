// The arguments of `preprocess`.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct PreprocessArguments {
  std::string picture, like, params, model, key;
  Output output;
};

void declare(OptionSet& options, PreprocessArguments& a);
Result<int> execute(const PreprocessArguments& a, Console& console);

}  // namespace edgetwin::cli
