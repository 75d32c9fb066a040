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

struct SynthesizeArguments {
  std::string what, output, dump, against;
  int size = 0, height = 0, width = 0, channels = 0;
  int input_zero_point = 128, output_zero_point = 128;
  double output_scale = 0;  // 0: not given
  bool force = false;
};

void add_disasm(CLI::App& app, DisasmArguments& a);
void add_asm(CLI::App& app, AsmArguments& a);
void add_synthesize(CLI::App& app, SynthesizeArguments& a);

}  // namespace edgetwin::cli
