// The verbs and options of the Edge TPU.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace edgetwin::cli {

struct DisasmArguments {
  std::string file, output;
  bool force = false;
};

struct AsmArguments {
  std::string text, into, output;
  bool force = false;
};

void add_disasm(CLI::App& app, DisasmArguments& a);
void add_asm(CLI::App& app, AsmArguments& a);

}  // namespace edgetwin::cli
