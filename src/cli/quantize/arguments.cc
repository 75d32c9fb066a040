#include "cli/quantize/arguments.h"

#include "quantize/espdl/quantize.h"
#include "targets/target.h"

namespace edgetwin::cli {

namespace {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& m : quantize::all_methods()) names.emplace_back(m.name);
  return names;
}

void declare_calibration(OptionSet& options, QuantizeNetworkArguments& a) {
  options
      .several("--calibrate", a.calibrate, "PATH ..",
               "Folder of pictures or .npy, or an .npy or .npz with a sample per row; NAME=PATH "
               "for one input of several")
      .not_empty()
      .kind(ValueKind::file);
  options.list("--mean", a.mean, "X,..",
               "Of pictures: (pixel - mean) / std; one or one per channel");
  options.list("--std", a.std, "X,..", "0 and 255 without them");
  options.text("--resize", a.resize, "HOW", "Of pictures: bilinear (default) or nearest")
      .choices({"bilinear", "nearest"});
  options.number("--samples", a.samples, "N", "At most so many; 32 without it").range(1, 5000);
  options
      .number("--steps", a.steps, "N",
              "Calibration runs; samples are repeated; else one per sample")
      .range(1, 5000);
  options.several("--shape", a.shapes, "SHAPE ..",
                  "Of an input that the file leaves open: NAME=1,3,224,224");
}

void declare_widths(OptionSet& options, QuantizeNetworkArguments& a) {
  options.number("--bits", a.bits, "N", "8 (default) or 16; weights of the MAX7800x: 1, 2, 4 or 8")
      .one_of({1, 2, 4, 8, 16});
  options.several("--layer-bits", a.layer_bits, "NAME=N ..", "Of one operator: NAME=16");
  options.list("--weight-bits", a.weight_bits, "NAME=N,..",
               "Of one layer of the MAX7800x: NAME=4,..");
  const OptionHandle search =
      options.flag("--search", a.search, "Finds the layers that are worth 16 bits");
  options
      .number("--decibels", a.decibels, "X", "Signal over noise at the outputs that --search wants")
      .needs(search);
  options
      .text("--shard", a.shard, "K/N",
            "Of --search its points, of --analyse its layers i with i mod N + 1 = K; -o\ngets a "
            "part, which `merge` puts together. mpi: the processes of mpirun share all")
      .not_empty();
  options
      .file("--measured", a.measured,
            "Points of --search that `merge` put together: none is measured again")
      .needs(search);
  options.number("--most-bytes", a.most_bytes, "N", "Of weights, biases and tables, for --search")
      .needs(search);
  options.list("--lut", a.lut, "TYPE,..", "16-bit activations as look-ups: Swish,Sigmoid,Tanh");
  options.several("--lut-formula", a.lut_formulas, "NAME=F ..",
                  "Look-ups of a type or operator that hold F: Swish=x*sigmoid(1.7*x)");
  options.number("--step", a.step, "N",
                 "Of 16-bit tables; 256 without it, of --search 32; 0 for none");
  options.flag("--verify", a.verify,
               "Computes every table for all its inputs, and says how far it is from its function");
  options.text("--runtime", a.runtime, "V",
               "ESP-DL's version, whose results are measured and embedded; 3.3.9 without it");
}

void declare_passes(OptionSet& options, QuantizeNetworkArguments& a) {
  const std::vector<std::string> passes = {
      "activation-fusion", "swish-fusion", "gelu-fusion",       "weight-split",
      "passive",           "equalization", "bias-correction",   "alignment",
      "prelu-alignment",   "shift-repair", "requantize-inputs", "per-channel"};
  options.list("--with", a.with, "PASS,..", "Passes to switch on: docs/quantize.md lists them")
      .choices(passes);
  options.list("--without", a.without, "PASS,..", "Passes to switch off").choices(passes);
}

void declare_network(OptionSet options, QuantizeNetworkArguments& a) {
  declare_calibration(options, a);
  declare_widths(options, a);
  options
      .text("--method", a.method, "NAME",
            "percentile (default), minmax (of .tflite the default), kl or mse")
      .choices(method_names());
  const OptionHandle like =
      options
          .text("--like", a.like, "WHOM",
                "upstream: everything as ESP-DL's own quantizer does it;\nespdl: pictures come in "
                "as --params says")
          .choices({"upstream", "espdl"});
  options
      .file("--params", a.params,
            "Pictures as ESP-DL's runtime brings them in (JSON), see\nedgetwin preprocess; also "
            "with --like upstream")
      .needs(like);
  options.flag("--high-precision", a.high_precision, "16-bit parameters rounded in float64");
  declare_passes(options, a);
  options.flag("--analyse", a.analyse, "Noise of every layer, alone and accumulated");
  options.file("--report", a.report, "Writes the report as one page");
  options.formerly("--html", a.report);
  options.file("--image", a.image, "Writes a plot of --search, .png");
  options.formerly("--plot", a.image);
  options.number("--threads", a.threads, "N", "1 to 256; 1 without it").range(1, 256);
}

void declare_checkpoint(OptionSet options, QuantizeArguments& a) {
  options.text("--clip-method", a.clip_method, "NAME",
               "MAX_BIT_SHIFT (from training), MAX, AVGMAX (or AVG), STDDEV or SCALE");
  options.number("--scale", a.scale, "X", "Of SCALE; 0.85 without it");
  options.number("--stddev", a.stddev, "X", "Deviations of STDDEV; 2 without it");
  options
      .number("--bn-epsilon", a.bn_epsilon, "X",
              "Of folding batch normalization; 1e-20 without it,\n1e-5 is what training has")
      .range(0.0, 1.0);
  options
      .number("--qat-weight-bits", a.bits, "N", "1, 2, 4 or 8, where the checkpoint does not say")
      .one_of({1, 2, 4, 8});
  const OptionHandle network =
      options.file("--config-file", a.network, "Network whose `quantization` counts");
  options
      .flag("--upstream-bugs", a.upstream_bugs,
            "Count its layers as the vendor's tool does, with those without weights")
      .needs(network);
}

}  // namespace

void declare(OptionSet& options, QuantizeArguments& a) {
  options.positional("MODEL", a.checkpoint, "A network, .onnx, or a PyTorch checkpoint, .pth.tar")
      .required()
      .source();
  options.target(a.target, targets::targets_with("quantize")).required();
  options.file("-o,--output", a.output, "The .espdl or .tflite file, or the new checkpoint")
      .required();
  declare_checkpoint(options.in_group("MAX78000, MAX78002"), a);
  declare_network(options.in_group("ONNX to ESP-DL"), a.network_options);
  options.force("Overwrite an existing file");
}

Verb verb_quantize() {
  return {
      .name = "quantize",
      .group = group::kNetworks,
      .summary = "Float network to integers for the chip",
      .example = "edgetwin quantize net.onnx --target esp32p4 --calibrate pictures -o net.espdl",
      .declare = declaration_of<QuantizeArguments>()};
}

}  // namespace edgetwin::cli
