// The arguments of `decompile`.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace edgetwin::cli {

struct DecompileArguments {
  std::string model, output, source, html;
  bool force = false;
};

void add_decompile(CLI::App& app, DecompileArguments& a);

}  // namespace edgetwin::cli
