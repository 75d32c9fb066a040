#include "cli/arguments_edgetpu.h"

#include <CLI/CLI.hpp>

#include "cli/argument_words.h"

namespace edgetwin::cli {
namespace {}  // namespace

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

void add_synthesize(CLI::App& app, SynthesizeArguments& a) {
  CLI::App* verb = app.add_subcommand(
      "synthesize", "Programs of the Edge TPU made without the vendor's compiler");
  verb->add_option(
          "WHAT", a.what,
          "A .tflite model of one layer; or conv3x3 or dense, with the sizes below;\nwithout "
          "it the layer that --check-against holds")
      ->option_text(" ");
  verb->add_option("-o,--output", a.output, "The compiled model")
      ->check(not_empty)
      ->option_text("FILE");
  verb->add_option("--dump", a.dump, "Folder for eo.bin, pc.bin and, of a model, params.bin")
      ->check(not_empty)
      ->option_text("DIR");
  verb->add_option("--check-against", a.against,
                   "A compiled .tflite or executable: the same bytes, or where not first")
      ->check(not_empty)
      ->option_text("FILE");
  const auto number = [verb](const char* name, int& value, const char* text, int most) {
    verb->add_option(name, value, text)->check(CLI::Range(0, most))->option_text("N");
  };
  constexpr int kMost = 1 << 20;
  number("--size", a.size, "Of dense: inputs and outputs", kMost);
  number("--height", a.height, "Of conv3x3", kMost);
  number("--width", a.width, "Of conv3x3", kMost);
  number("--channels", a.channels, "Of conv3x3: of input and output", kMost);
  number("--input-zero-point", a.input_zero_point, "0 to 255; of int8 tensors plus 128", 255);
  verb->add_option("--output-scale", a.output_scale, "Of conv3x3 and dense")
      ->check(CLI::PositiveNumber)
      ->option_text("X");
  number("--output-zero-point", a.output_zero_point, "0 to 255; of int8 tensors plus 128", 255);
  verb->add_flag("--force", a.force, "Overwrite existing files");
  verb->footer("Example:\n  edgetwin synthesize layer.tflite -o layer_edgetpu.tflite");
}

}  // namespace edgetwin::cli
