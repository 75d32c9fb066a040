#include "cli/arguments_params.h"

#include <CLI/CLI.hpp>

#include "cli/argument_words.h"

namespace edgetwin::cli {
namespace {

void add_model(CLI::App* verb, std::string& model) {
  verb->add_option("MODEL", model, "A compiled model, NAME_edgetpu.tflite")
      ->required()
      ->option_text(" ");
}

CLI::Option* add_file(CLI::App* verb, const char* name, std::string& value, const char* what,
                      const char* word = "FILE") {
  return verb->add_option(name, value, what)->check(not_empty)->option_text(word);
}

void add_list(CLI::App* params, ParamsListArguments& a) {
  CLI::App* verb = params->add_subcommand("list", "Which bytes are which layer's parameters");
  add_model(verb, a.model);
  add_file(verb, "--reference", a.reference, "The model that it was compiled from");
  verb->footer("Example:\n  edgetwin params list net_edgetpu.tflite --reference net.tflite");
}

void add_build(CLI::App* params, ParamsBuildArguments& a) {
  CLI::App* verb = params->add_subcommand("build", "Parameters from the uncompiled model");
  add_file(verb, "--reference", a.reference, "The uncompiled model")->required();
  add_file(verb, "--like", a.like, "A compiled model: where each layer goes, and in which form")
      ->required();
  add_file(verb, "-o,--output", a.output, "Folder for p0_e1.bin, … (package, executable)", "DIR")
      ->required();
  verb->add_flag("--force", a.force, "Overwrite existing files");
  verb->footer(
      "Example:\n  edgetwin params build --reference net.tflite --like net_edgetpu.tflite -o "
      "blobs");
}

void add_extract(CLI::App* params, ParamsExtractArguments& a) {
  CLI::App* verb = params->add_subcommand("extract", "Weights, biases and scales as arrays");
  add_model(verb, a.model);
  add_file(verb, "--reference", a.reference, "The model that it was compiled from");
  add_file(verb, "-o,--output", a.output, "Folder for NNNN_<layer>_weights.npy, …", "DIR")
      ->required();
  verb->add_flag("--force", a.force, "Overwrite existing files");
  verb->footer(
      "Example:\n  edgetwin params extract net_edgetpu.tflite --reference net.tflite -o w");
}

}  // namespace

void add_params(CLI::App& app, ParamsArguments& a) {
  CLI::App* params =
      app.add_subcommand("params", "Parameters of a compiled Edge TPU model: list, build, extract");
  params->require_subcommand(1);
  params->footer("Example:\n  edgetwin params list net_edgetpu.tflite --reference net.tflite");
  add_list(params, a.list);
  add_build(params, a.build);
  add_extract(params, a.extract);
}

void add_patch(CLI::App& app, PatchArguments& a) {
  CLI::App* verb = app.add_subcommand(
      "patch", "New weights for a compiled Edge TPU model, without the compiler");
  add_model(verb, a.model);
  const auto add = [verb](const char* name, std::vector<std::string>& words, const char* what) {
    verb->add_option(name, words, what)
        ->check(not_empty)
        ->option_text("LAYER=X")
        ->allow_extra_args(false);
  };
  add("--weights", a.weights,
      "Weights of a layer, .npy: int8 or uint8 as the model stores them,\nor float32; LAYER is its "
      "number, or its output tensor");
  add("--bias", a.bias, "Its bias, .npy: int32, or float32 in real numbers");
  add("--scale", a.scale, "Its weight scale: a number, or a .npy of one per channel");
  add_file(verb, "--reference", a.reference,
           "The model that it was compiled from; needed for several layers");
  add_file(verb, "-o,--output", a.output, "The new compiled model")->required();
  verb->add_flag("--force", a.force, "Overwrite an existing file");
  verb->footer("Example:\n  edgetwin patch dense_edgetpu.tflite --weights 0=w.npy -o new.tflite");
}

}  // namespace edgetwin::cli
