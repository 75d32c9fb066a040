#include "cli/arguments_espdl.h"

#include <CLI/CLI.hpp>

#include "cli/argument_words.h"

namespace edgetwin::cli {
namespace {

void add_key(CLI::App* verb, std::string& key) {
  verb->add_option("--key", key, "The 16 bytes of an encrypted file, hexadecimal")
      ->option_text("HEX");
}

void add_output(CLI::App* verb, std::string& output, const char* what, const char* text) {
  verb->add_option("-o,--output", output, what)->required()->check(not_empty)->option_text(text);
}

}  // namespace

void add_shapes(CLI::App* app, std::vector<std::string>& shapes) {
  app->add_option("--shape", shapes,
                  "Of an .onnx file: the shape of an input that the file leaves open,\n"
                  "NAME=1,3,224,224; once per input")
      ->check(not_empty)
      ->option_text("NAME=N,..")
      ->allow_extra_args(false);
}

void add_espdl_compute(CLI::App* verb, ComputeArguments& c) {
  const char* group = "ESP-DL";
  verb->add_option("--target", c.target,
                   "The chip of an .espdl file: c, esp32s3 or esp32p4; without it\nwhat the file "
                   "tells")
      ->check(not_empty)
      ->option_text("CHIP")
      ->group(group);
  verb->add_option("--runtime", c.runtime,
                   "Version of ESP-DL; up to 3.3.7 it interpolates 16-bit tables")
      ->option_text("3.3.9")
      ->group(group);
  verb->add_option_function<std::string>(
          "--accumulators", [&c](const std::string& word) { c.wide = word == "wide"; },
          "chip: the lanes of the vector unit (default);\nwide: as the portable code of ESP-DL "
          "sums")
      ->check(CLI::IsMember({"chip", "wide"}))
      ->option_text("KIND")
      ->group(group);
  verb->add_flag("--allow-undefined", c.allow_undefined,
                 "Run operators whose result the runtime leaves undefined")
      ->option_text(" ")
      ->group(group);
  verb->add_option("--model", c.model, "Which model of a package, by name or number")
      ->check(not_empty)
      ->option_text("NAME")
      ->group(group);
  add_key(verb, c.key);
  verb->get_option("--key")->group(group);
  const auto add_numbers = [&](const char* name, std::vector<float>& values, const char* what) {
    verb->add_option(name, values, what)->delimiter(',')->option_text("X,…")->group(group);
  };
  add_numbers("--mean", c.mean, "A picture becomes (pixel - mean) / std; 0, or one per channel");
  add_numbers("--std", c.std, "255 without it, or one per channel");
}

void add_pack(CLI::App& app, PackArguments& a) {
  CLI::App* verb = app.add_subcommand("pack", "Puts .espdl models into one package");
  verb->add_option("FILE", a.files, "Models, or folders of them")->required()->option_text(" ");
  add_output(verb, a.output, "The package", "FILE");
  verb->add_option("--format", a.format, "PDL1, PDL2 or PDL3: 1, 2 or 3")
      ->check(CLI::Range(1, 3))
      ->option_text("N");
  verb->add_option("--version-text", a.text, "Of PDL3, at most 15 characters; v1.0 without it")
      ->option_text("TEXT");
  add_key(verb, a.key);
  verb->add_flag("--force", a.force, "Overwrite an existing file");
  verb->footer("Example:\n  edgetwin pack a.espdl b.espdl -o both.espdl");
}

void add_unpack(CLI::App& app, UnpackArguments& a) {
  CLI::App* verb = app.add_subcommand("unpack", "Takes a package of .espdl models apart");
  verb->add_option("FILE", a.file, "A package: PDL1, PDL2 or PDL3")->required()->option_text(" ");
  add_output(verb, a.output, "Folder for the models", "DIR");
  add_key(verb, a.key);
  verb->add_flag("--force", a.force, "Overwrite existing files");
  verb->footer("Example:\n  edgetwin unpack both.espdl -o models");
}

void add_check(CLI::App& app, CheckArguments& a) {
  CLI::App* verb = app.add_subcommand("check", "Every rule of a target, all findings at once");
  verb->add_option("MODEL", a.model,
                   "An .espdl or .onnx file, a network .yaml for a MAX78000,\nor a model that is "
                   "compiled for the Edge TPU")
      ->required()
      ->option_text(" ");
  verb->add_option(
          "--target", a.target,
          "c, esp32s3, esp32p4, max78000, max78002 or edgetpu;\nof an .espdl file all that "
          "it fits without it")
      ->check(not_empty)
      ->option_text("CHIP");
  verb->add_option("--model", a.member, "Which model of a package, by name or number")
      ->check(not_empty)
      ->option_text("NAME");
  add_key(verb, a.key);
  add_shapes(verb, a.shapes);
  verb->add_flag("--strict", a.strict, "Warnings too make the answer no");
  verb->footer("Example:\n  edgetwin check model.espdl --target esp32s3");
}

}  // namespace edgetwin::cli
