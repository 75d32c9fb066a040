// The arguments of `serve`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct ServeArguments {
  std::vector<std::string> models;
  std::string host = "127.0.0.1", token, camera = "none", device = "twin",
              algorithm = "SpotTracker";
  std::string replay;
  int port = 8080, width = 640, height = 480, fps = 30;
  bool beside = false;
};

void declare(OptionSet& options, ServeArguments& a);
Result<int> execute(const ServeArguments& a, Console& console);

}  // namespace edgetwin::cli
