#include "cli/arguments_quantize.h"

#include <CLI/CLI.hpp>

#include "cli/argument_words.h"

#include "quantize/quantize.h"

namespace edgetwin::cli {
namespace {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& m : quantize::all_methods()) names.emplace_back(m.name);
  return names;
}

void add_calibration(CLI::App* verb, QuantizeNetworkArguments& a, const char* group) {
  verb->add_option(
          "--calibrate", a.calibrate,
          "Folder of pictures or .npy, or an .npy or .npz with a sample per row; NAME=PATH "
          "for one input of several")
      ->check(not_empty)
      ->option_text("PATH ..")
      ->group(group);
  verb->add_option("--mean", a.mean, "Of pictures: (pixel - mean) / std; one or one per channel")
      ->delimiter(',')
      ->option_text("X,..")
      ->group(group);
  verb->add_option("--std", a.std, "0 and 255 without them")
      ->delimiter(',')
      ->option_text("X,..")
      ->group(group);
  verb->add_option("--resize", a.resize, "Of pictures: bilinear (default) or nearest")
      ->check(CLI::IsMember({"bilinear", "nearest"}))
      ->option_text("HOW")
      ->group(group);
  verb->add_option("--samples", a.samples, "At most so many; 32 without it")
      ->check(CLI::Range(1, 5000))
      ->option_text("N")
      ->group(group);
  verb->add_option("--steps", a.steps,
                   "Calibration runs; samples are repeated; else one per sample")
      ->check(CLI::Range(1, 5000))
      ->option_text("N")
      ->group(group);
  verb->add_option("--shape", a.shapes, "Of an input that the file leaves open: NAME=1,3,224,224")
      ->option_text("SHAPE ..")
      ->group(group);
}

void add_widths(CLI::App* verb, QuantizeNetworkArguments& a, const char* group) {
  verb->add_option("--bits", a.bits, "8 (default) or 16; weights of the MAX7800x: 1, 2, 4 or 8")
      ->check(CLI::IsMember({1, 2, 4, 8, 16}))
      ->option_text("N")
      ->group(group);
  verb->add_option("--layer-bits", a.layer_bits, "Of one operator: NAME=16")
      ->option_text("NAME=N ..")
      ->group(group);
  verb->add_option("--weight-bits", a.weight_bits, "Of one layer of the MAX7800x: NAME=4,..")
      ->delimiter(',')
      ->option_text("NAME=N,..")
      ->group(group);
  verb->add_flag("--search", a.search, "Finds the layers that are worth 16 bits")->group(group);
  verb->add_option("--decibels", a.decibels, "Signal over noise at the outputs that --search wants")
      ->option_text("X")
      ->group(group);
  verb->add_option("--most-bytes", a.most_bytes, "Of weights, biases and tables, for --search")
      ->option_text("N")
      ->group(group);
  verb->add_option("--lut", a.lut, "16-bit activations as look-ups: Swish,Sigmoid,Tanh")
      ->delimiter(',')
      ->option_text("TYPE,..")
      ->group(group);
  verb->add_option("--step", a.step, "Of 16-bit tables; 256 without it, 0 for none")
      ->option_text("N")
      ->group(group);
}

}  // namespace

void add_quantize_network(CLI::App* verb, QuantizeNetworkArguments& a) {
  const char* group = "ONNX to ESP-DL";
  add_calibration(verb, a, group);
  add_widths(verb, a, group);
  verb->add_option("--method", a.method,
                   "percentile (default), minmax (of .tflite the default), kl or mse")
      ->check(CLI::IsMember(method_names()))
      ->option_text("NAME")
      ->group(group);
  verb->add_option("--like", a.like, "upstream: everything as ESP-DL's own quantizer does it")
      ->check(CLI::IsMember({"upstream"}))
      ->option_text("WHOM")
      ->group(group);
  verb->add_flag("--high-precision", a.high_precision, "16-bit parameters rounded in float64")
      ->group(group);
  const auto passes =
      CLI::IsMember({"activation-fusion", "swish-fusion", "gelu-fusion", "weight-split", "passive",
                     "equalization", "bias-correction", "alignment", "prelu-alignment",
                     "shift-repair", "requantize-inputs", "per-channel"});
  verb->add_option("--with", a.with, "Passes to switch on: docs/quantize.md lists them")
      ->delimiter(',')
      ->check(passes)
      ->option_text("PASS,..")
      ->group(group);
  verb->add_option("--without", a.without, "Passes to switch off")
      ->delimiter(',')
      ->check(passes)
      ->option_text("PASS,..")
      ->group(group);
  verb->add_flag("--analyse", a.analyse, "Noise of every layer, alone and accumulated")
      ->group(group);
  verb->add_option("--html", a.html, "Writes the report as one page")
      ->check(not_empty)
      ->option_text("FILE")
      ->group(group);
  verb->add_option("--plot", a.plot, "Writes the way of --search as a picture, .png")
      ->check(not_empty)
      ->option_text("FILE")
      ->group(group);
  verb->add_option("--threads", a.threads, "1 to 256; 1 without it")
      ->check(CLI::Range(1, 256))
      ->option_text("N")
      ->group(group);
}

}  // namespace edgetwin::cli
