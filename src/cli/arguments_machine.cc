#include "cli/arguments_machine.h"

#include <CLI/CLI.hpp>

namespace edgetwin::cli {
namespace {

std::string not_empty(const std::string& word) { return word.empty() ? "the name is empty" : ""; }

}  // namespace

void add_run_machine(CLI::App* verb, RunArguments& a) {
  verb->add_option("--machine", a.machine,
                   "edgetpu: executes the programs of a compiled model as the chip would")
      ->check(CLI::IsMember({"edgetpu"}))
      ->option_text("CHIP")
      ->group("Edge TPU");
}

void add_verify_machine(CLI::App* verb, VerifyArguments& a) {
  verb->add_option("--source", a.source,
                   "The .tflite that a compiled MODEL was made of: both are run and compared")
      ->check(not_empty)
      ->option_text("FILE")
      ->group("Edge TPU");
}

}  // namespace edgetwin::cli
