#include "cli/arguments_max78.h"

#include <CLI/CLI.hpp>

#include "cli/argument_words.h"

namespace edgetwin::cli {
namespace {

void add_file(CLI::App* verb, const char* name, std::string& value, const char* what,
              const char* group = "") {
  CLI::Option* option = verb->add_option(name, value, what)->check(not_empty)->option_text("FILE");
  if (*group != 0) option->group(group);
}

}  // namespace

void add_max78_inputs(CLI::App* verb, Max78Arguments& a) {
  const char* group = "MAX78000, MAX78002";
  add_file(verb, "--checkpoint", a.checkpoint, "Quantized checkpoint of a network, .pth.tar",
           group);
  add_file(verb, "--weights", a.weights, "Or its weights, .npy arrays one after the other", group);
  add_file(verb, "--bias", a.bias, "And its biases", group);
  add_file(verb, "--sample", a.sample, "Its input, .npy of (channels, rows, columns)", group);
  verb->allow_extras();
}

void add_max78_page(CLI::App* verb, Max78Arguments& a) {
  const char* group = "MAX78000, MAX78002";
  add_file(verb, "--report", a.html, "Also writes a page with a map of the memories", group);
  add_file(verb, "--picture", a.picture, "Also writes the map of the memories, .png", group);
  if (verb->get_option_no_throw("--force") == nullptr)
    verb->add_flag("--force", a.force, "Overwrite existing files")->group(group);
}

void add_input_shape(CLI::App* verb, Max78Arguments& a) {
  verb->add_option("--input-shape", a.shape,
                   "Size of the input where no sample is given, such as 3x32x32")
      ->check(not_empty)
      ->option_text("CxHxW")
      ->group("MAX78000, MAX78002");
}

void take_loader_options(const CLI::App* verb, Max78Arguments& a) { a.options = verb->remaining(); }

void add_max78_verify(CLI::App* verb, VerifyArguments& a) {
  const char* group = "MAX78000, MAX78002";
  add_file(verb, "--expected", a.expected, "What a register program must leave in memory", group);
  add_file(verb, "--network", a.max78.network,
           "Its network, .yaml: compared layer by layer; without MODEL its own program", group);
  add_max78_inputs(verb, a.max78);
  verb->add_option("--step-limit", a.step_limit, "Pixels and words after which the machine stops")
      ->option_text("N")
      ->group(group);
}

void add_compile(CLI::App& app, CompileArguments& a) {
  CLI::App* verb =
      app.add_subcommand("compile", "From a network to the program that the chip runs");
  verb->add_option("NETWORK", a.max78.network, "A network description, .yaml")
      ->required()
      ->option_text(" ");
  verb->add_option("--target", a.max78.target, "max78000 or max78002")
      ->required()
      ->check(not_empty)
      ->option_text("CHIP");
  add_max78_inputs(verb, a.max78);
  verb->add_option("-o,--output", a.output, "Folder of the C project")
      ->check(not_empty)
      ->option_text("DIR");
  verb->add_option("--prefix", a.prefix, "Name of the project")
      ->check(not_empty)
      ->option_text("NAME");
  add_file(verb, "--program", a.program, "The register program, one access per line");
  add_file(verb, "--expected", a.expected, "The words of the known-answer test");
  add_file(verb, "--unload-reads", a.unload_reads, "The accesses of the unload function");
  verb->add_flag("--force", a.force, "Overwrite existing files");
  add_max78_page(verb, a.max78);
  verb->footer(
      "Options of the vendor's loader are taken under its names: --fifo, --mlator, --softmax, …\n"
      "Example:\n  edgetwin compile net.yaml --target max78000 --checkpoint net.pth.tar "
      "--sample s.npy -o demo");
}

void add_quantize(CLI::App& app, QuantizeArguments& a) {
  CLI::App* verb = app.add_subcommand("quantize", "Float network to integers for the chip");
  verb->add_option("MODEL", a.checkpoint, "A network, .onnx, or a PyTorch checkpoint, .pth.tar")
      ->required()
      ->option_text(" ");
  verb->add_option("--target", a.target, "c, esp32s3 or esp32p4; edgetpu; max78000 or max78002")
      ->required()
      ->check(not_empty)
      ->option_text("CHIP");
  verb->add_option("-o,--output", a.output, "The .espdl or .tflite file, or the new checkpoint")
      ->required()
      ->check(not_empty)
      ->option_text("FILE");
  const char* group = "MAX78000, MAX78002";
  verb->add_option("--clip-method", a.clip_method,
                   "MAX_BIT_SHIFT (from training), MAX, AVGMAX, STDDEV or SCALE")
      ->option_text("NAME")
      ->group(group);
  verb->add_option("--scale", a.scale, "Of SCALE; 0.85 without it")->option_text("X")->group(group);
  verb->add_option("--stddev", a.stddev, "Deviations of STDDEV; 2 without it")
      ->option_text("X")
      ->group(group);
  verb->add_option("--bn-epsilon", a.bn_epsilon,
                   "Of folding batch normalization; 1e-20 without it,\n1e-5 is what training has")
      ->check(CLI::Range(0.0, 1.0))
      ->option_text("X")
      ->group(group);
  verb->add_option("--qat-weight-bits", a.bits, "1, 2, 4 or 8, where the checkpoint does not say")
      ->check(CLI::IsMember({1, 2, 4, 8}))
      ->option_text("N")
      ->group(group);
  add_file(verb, "--config-file", a.network, "Network whose `quantization` counts", group);
  verb->add_flag("--upstream-bugs", a.upstream_bugs,
                 "Count its layers as the vendor's tool does, with those without weights")
      ->group(group);
  add_quantize_network(verb, a.network_options);
  verb->add_flag("--force", a.force, "Overwrite an existing file");
  verb->footer(
      "Example:\n  edgetwin quantize net.onnx --target esp32p4 --calibrate pictures -o net.espdl");
}

}  // namespace edgetwin::cli
