// The arguments of `pack` and `unpack`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct PackArguments {
  std::vector<std::string> files;
  std::string output, text = "v1.0", key;
  int format = 3;
  bool force = false;
};

struct UnpackArguments {
  std::string file, output, key;
  bool force = false;
};

void declare(OptionSet& options, PackArguments& a);
Result<int> execute(const PackArguments& a, Console& console);

void declare(OptionSet& options, UnpackArguments& a);
Result<int> execute(const UnpackArguments& a, Console& console);

}  // namespace edgetwin::cli
