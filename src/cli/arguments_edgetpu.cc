#include "cli/arguments_edgetpu.h"

#include <CLI/CLI.hpp>

namespace edgetwin::cli {
namespace {

std::string not_empty(const std::string& word) { return word.empty() ? "the name is empty" : ""; }

}  // namespace

void add_disasm(CLI::App& app, DisasmArguments& a) {
  CLI::App* verb = app.add_subcommand("disasm", "The instructions of a compiled Edge TPU model");
  verb->add_option("FILE", a.file,
                   "A compiled .tflite, a DarwiNN package, executable or bare bitstream")
      ->required()
      ->option_text(" ");
  verb->add_option("-o,--output", a.output, "The text; without it standard output")
      ->check(not_empty)
      ->option_text("FILE");
  verb->add_flag("--force", a.force, "Overwrite an existing text");
  verb->footer("Example:\n  edgetwin disasm model_edgetpu.tflite -o model.s");
}

void add_asm(CLI::App& app, AsmArguments& a) {
  CLI::App* verb = app.add_subcommand("asm", "Instructions back into a compiled Edge TPU model");
  verb->add_option("TEXT", a.text, "What `disasm` wrote, perhaps changed")
      ->required()
      ->option_text(" ");
  verb->add_option("--into", a.into,
                   "The file whose bitstreams are replaced; without it the output is\nthe one "
                   "bitstream of the text")
      ->check(not_empty)
      ->option_text("FILE");
  verb->add_option("-o,--output", a.output, "The new file")
      ->required()
      ->check(not_empty)
      ->option_text("FILE");
  verb->add_flag("--force", a.force, "Overwrite an existing file");
  verb->footer(
      "Example:\n  edgetwin asm model.s --into model_edgetpu.tflite -o new_edgetpu.tflite");
}

}  // namespace edgetwin::cli
