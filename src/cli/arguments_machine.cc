#include "cli/arguments_machine.h"

#include <CLI/CLI.hpp>

namespace edgetwin::cli {
void add_run_machine(CLI::App* verb, RunArguments& a) {
  verb->add_option("--machine", a.machine,
                   "edgetpu: executes the programs of a compiled model as the chip would")
      ->check(CLI::IsMember({"edgetpu"}))
      ->option_text("CHIP")
      ->group("Edge TPU");
}

}  // namespace edgetwin::cli
