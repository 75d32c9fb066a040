#include "cli/arguments_decompile.h"

#include <CLI/CLI.hpp>

namespace edgetwin::cli {

void add_decompile(CLI::App& app, DecompileArguments& a) {
  CLI::App* verb = app.add_subcommand(
      "decompile", "A compiled Edge TPU model back into the network that it computes");
  const auto not_empty = [](const std::string& word) {
    return word.empty() ? std::string("the name is empty") : std::string();
  };
  verb->add_option("MODEL", a.model, "A compiled model, NAME_edgetpu.tflite")
      ->required()
      ->option_text(" ");
  verb->add_option("-o,--output", a.output, "The network, .tflite")
      ->check(not_empty)
      ->option_text("FILE");
  verb->add_option("--compare", a.source, "The uncompiled model: every layer is held against it")
      ->check(not_empty)
      ->option_text("FILE");
  verb->add_option("--report", a.html, "An HTML page of the layers and their instructions")
      ->check(not_empty)
      ->option_text("FILE");
  verb->add_flag("--force", a.force, "Overwrite existing files");
  verb->footer("Example:\n  edgetwin decompile net_edgetpu.tflite -o net.tflite");
}

}  // namespace edgetwin::cli
