#include "cli/run/arguments.h"

#include "edgetwin/vision.h"

namespace edgetwin::cli {

namespace {

void declare_decode(OptionSet& options, RunArguments& a) {
  std::vector<std::string> names = {
#define DECODER(name, result, resize, meaning) #name,
#include "decode/decoders.def"
#undef DECODER
  };
  std::string help = "Prints what the outputs mean:";
  for (size_t i = 0; i < names.size(); ++i) {
    help += (i == 0 ? " " : i % 5 == 0 ? ",\n" : ", ") + names[i];
  }
  help += ";\nof networks of ESP-DL, with their pictures as on the chip:";
  const std::vector<std::string> of_espdl = vision_decoders();
  for (size_t i = 0; i < of_espdl.size(); ++i) {
    help += (i == 0 ? "\n" : i % 4 == 0 ? ",\n" : ", ") + of_espdl[i];
  }
  names.insert(names.end(), of_espdl.begin(), of_espdl.end());
  const OptionHandle decode = options.text("--decode", a.decode, "NAME", help).choices(names);
  options.file("--image", a.image, "With --decode: the picture with the result, PNG").needs(decode);
  options.formerly("--draw", a.image).needs(decode);
  options
      .number("--threshold", a.threshold, "X", "With --decode: what has a lower score is left out")
      .range(0.0, 1.0)
      .needs(decode);
}

void declare_espdl_pictures(OptionSet options, RunArguments& a) {
  const OptionHandle params = options.file(
      "--params", a.params,
      "With --like or --decode espdl-…: what differs from the published\nmodel (JSON), see "
      "edgetwin preprocess and edgetwin decode");
  options.text("--like", a.like, "NAME", "espdl: the picture comes in as --params says")
      .choices({"espdl"})
      .needs(params);
  options.repeated("--then", a.then, "FILE",
                   "With --decode espdl-…: the network that looks at what was found");
  options
      .repeated("--then-decode", a.then_decode, "NAME",
                "What reads its outputs; espdl-face and espdl-ocr say so already")
      .choices(vision_decoders());
}

void declare_machine(OptionSet options, RunArguments& a) {
  options
      .text("--machine", a.machine, "CHIP",
            "edgetpu: executes the programs of a compiled model as the chip would")
      .choices({"edgetpu"});
  options
      .number("--interleave", a.interleave, "SEED",
              "A compiled model's engines go side by side: any that may go on\ndoes, by this "
              "seed; races and standstills are found")
      .not_negative();
}

void declare_stream(OptionSet options, RunArguments& a) {
  const OptionHandle stream =
      options
          .text("--stream", a.stream.source, "X",
                kSourceHelp + std::string(";\na transform gives spectra, a network for waveforms "
                                          "classes; -o gets\nspectra.npy, waterfall.png and "
                                          "outputs.json"))
          .not_empty();
  OptionHandles all = declare_source(options, a.stream);
  all.push_back(declare_order(options, a.stream.order));
  for (OptionHandle& h : declare_spectrum(options, a.stream)) all.push_back(h);
  for (OptionHandle& h : declare_steps(options, a.stream)) all.push_back(h);
  for (OptionHandle& h : all) h.needs(stream);
}

}  // namespace

void declare(OptionSet& options, RunArguments& a) {
  options
      .positional("MODEL", a.model,
                  "A .tflite, .espdl or .onnx file, or a network .yaml for a MAX78000")
      .required();
  declare_inputs(options, a.inputs);
  declare(options, a.compute);
  options.folder("-o,--output", a.output,
                 "Folder for output_0.npy, … and outputs.json;\nwithout it a summary is printed");
  options.folder("--trace", a.trace, "Folder for every tensor, with trace.json");
  options.file("--labels", a.labels, "Text file, a class per line: prints the best five");
  declare_decode(options, a);
  options.file("--report", a.report, "Also writes the report, see edgetwin report");
  options
      .text("--mode", a.mode, "HOW",
            "Of .espdl: simulated (as the chip, without it) or ideal, with look-ups by formula")
      .choices({"simulated", "ideal"});
  options.flag("--as-quantized", a.as_quantized,
               "Of .espdl: beside the chip's result that of additions in real\nnumbers, as the "
               "quantizer meant them where exponents differ");
  options.flag(
      "--repeat", a.repeat,
      "Computes a second time from the start;\nexit code 1 unless both give the same bits");
  options.force("Overwrite existing outputs");
  declare(options, a.device, {.records = true});
  declare_machine(options.in_group(kEdgeTpuGroup), a);
  declare_espdl_pictures(options.in_group("ESP-DL"), a);
  declare_stream(options.in_group("Streams of samples"), a);
  declare_max78_inputs(options, a.max78);
  declare_input_shape(options, a.max78);
}

Verb verb_run() {
  return {.name = "run",
          .group = group::kNetworks,
          .summary = "Computes a model",
          .example = "edgetwin run model.tflite --input picture.png -o out",
          .declare = declaration_of<RunArguments>()};
}

}  // namespace edgetwin::cli
