// The arguments of `serve`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct ServeArguments {
  std::vector<std::string> models;
  // Empty: not given, which --replay has to know.
  std::string host, token, camera, device, algorithm, replay;
  std::optional<int> port, width, height, fps;
  bool beside = false;
};

void declare(OptionSet& options, ServeArguments& a);
Result<int> execute(const ServeArguments& a, Console& console);

}  // namespace edgetwin::cli
