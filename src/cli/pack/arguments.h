// The arguments of `pack` and `unpack`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct PackArguments {
  std::vector<std::string> files;
  Output output;
  std::string text = "v1.0", key;
  int format = 3;
};

struct UnpackArguments {
  std::string file, key;
  Output output;
};

void declare(OptionSet& options, PackArguments& a);
Result<int> execute(const PackArguments& a, Console& console);

void declare(OptionSet& options, UnpackArguments& a);
Result<int> execute(const UnpackArguments& a, Console& console);

}  // namespace edgetwin::cli
