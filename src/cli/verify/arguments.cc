#include "cli/verify/arguments.h"

#include "cli/streams/stream_arguments.h"

namespace edgetwin::cli {

namespace {

void declare_max78(OptionSet& all, VerifyArguments& a) {
  OptionSet options = all.in_group(kMax78Group);
  options.file("--expected", a.expected, "What a register program must leave in memory");
  options.file("--network", a.max78.network,
               "Its network, .yaml: compared layer by layer; without MODEL its own program");
  declare_max78_inputs(all, a.max78);
  declare_input_shape(all, a.max78);
  options.number("--step-limit", a.step_limit, "N",
                 "Pixels and words after which the machine stops");
}

void declare_silicon(OptionSet options, VerifyArguments& a) {
  const OptionHandle silicon =
      options.folder("--silicon", a.silicon,
                     "Folder with a cases.json: every result must come out again;\n--numerics "
                     "edgetpu:… computes device results only, another only the others");
  options
      .repeated("--models", a.models, "DIR",
                "Folders with the models and pictures of the cases; DIR/../models is\nsearched "
                "without it")
      .kind(ValueKind::folder)
      .needs(silicon);
  options
      .flag("--from-compiled", a.from_compiled,
            "Open the compiled model where its source is there too")
      .needs(silicon);
}

void declare_transform(OptionSet options, VerifyArguments& a) {
  const OptionHandle transform =
      options.flag("--transform", a.transform,
                   "Noise and tones through MODEL, against a plain sum in double\nprecision");
  declare_order(options, a.order).needs(transform);
  options
      .number("--least", a.least, "DB",
              "Signal to noise that is asked for; 110 without it of a network in\nfloat32, none of "
              "others")
      .needs(transform);
}

}  // namespace

void declare(OptionSet& options, VerifyArguments& a) {
  options.positional(
      "MODEL", a.model,
      "An .espdl file, or a register program; or a .tflite file, whose layers are\n"
      "compared in TensorFlow Lite's arithmetic and that of --numerics, edgetpu without it;\nor a "
      "compiled Edge TPU model, or a folder of them. Without --input all their\n"
      "inputs are pseudo-random, xs32:1. Of a compiled model or a folder each of several\n"
      "--input xs32:N is a run, xs32:1..8 are eight");
  options.positional(
      "B", a.other,
      "Compared with MODEL, layer by layer: a network file of any kind, or a folder that\n"
      "run -o or --trace wrote");
  options
      .number("--tolerance", a.tolerance, "X",
              "Of MODEL and B: elements that differ by at most so much count as equal")
      .not_negative();
  declare_inputs(options, a.inputs);
  options
      .repeated("--log", a.logs, "FILE",
                "What a chip printed; once per log. Of a MAX7800x alone or with --network")
      .kind(ValueKind::file);
  options.file("--report", a.report, "Also writes a page: one HTML file that needs no network");
  options.file("-o,--output", a.output, "Of a folder: a line for each model, JSON");
  options
      .text("--shard", a.shard, "K/N",
            "Of a folder: only the models i with i mod N + 1 = K; -o gets a part,\nwhich `merge` "
            "puts "
            "together. mpi: the processes of mpirun share all")
      .not_empty();
  options.force("Overwrite an existing page");
  declare(options, a.compute);
  declare_max78(options, a);
  // The machine is compared with the reference too.
  declare(options, a.device, {.reference_needs_device = false});
  options.in_group(kEdgeTpuGroup)
      .number(
          "--interleave", a.interleave, "SEED",
          "Of compiled models: their engines go side by side, any that may\ngo on does, by this "
          "seed; races and standstills are found")
      .not_negative();
  declare_transform(options.in_group("Fourier transforms"), a);
  declare_silicon(options.in_group("Results recorded on Edge TPU devices"), a);
}

Verb verb_verify() {
  return {.name = "verify",
          .group = group::kNetworks,
          .summary = "Model, program or device's log against what they must be",
          .example = "edgetwin verify model.espdl --target esp32s3",
          .declare = declaration_of<VerifyArguments>()};
}

}  // namespace edgetwin::cli
