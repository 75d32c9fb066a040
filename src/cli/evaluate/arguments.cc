#include "cli/evaluate/arguments.h"

#include "cli/shared/device_arguments.h"
#include "edgetwin/decode.h"
#include "edgetwin/evaluate.h"

namespace edgetwin::cli {
namespace {

// Detectors of ESP-DL; the library says which of them goes with which task.
constexpr const char* kEspdlDecoders[] = {"espdl-yolo11", "espdl-seg", "espdl-espdet",
                                          "espdl-pico",   "espdl-msr", "espdl-yolo26",
                                          "espdl-pose"};

std::vector<std::string> decoders() {
  std::vector<std::string> names;
  for (const DecoderInfo& d : all_decoders()) {
    if (d.meaning != Meaning::classes) names.emplace_back(d.name);
  }
  for (const char* name : kEspdlDecoders) names.emplace_back(name);
  return names;
}

void declare_set(OptionSet options, EvaluateArguments& a) {
  options
      .file("--data", a.data,
            "The samples: a folder per class, a list of lines path<TAB>label,\n"
            "IDX, CIFAR, .npz, .npy, .csv, COCO's .json, folders pictures and\nmasks; "
            "docs/evaluate.md")
      .required();
  options.folder("--pictures", a.pictures,
                 "Of COCO's .json: folder of the pictures; without it that of\nthe file");
  options.file("--targets", a.targets, "Of an .npy: its labels (.npy)");
  options.file("--labels", a.labels, "Names of the network's classes, one per line");
  options.number("--label-offset", a.label_offset, "N",
                 "Added to labels that are numbers: 1 where class 0 is the\nbackground");
  options.number("--limit", a.limit, "N", "Only the first N samples").positive();
  options
      .number("--shuffle", a.shuffle, "SEED",
              "Another order, 1 to 4294967295: with --limit a random choice")
      .positive();
}

void declare_way(OptionSet options, EvaluateArguments& a) {
  options
      .text("--resize", a.resize, "HOW",
            "Pictures of another size; without it as the network's decoder\nwants it")
      .choices({"nearest", "half-pixel", "lanczos", "letterbox", "crop"});
  const OptionHandle params =
      options.file("--params", a.params,
                   "Pictures as ESP-DL's runtime brings them in (JSON), see\nedgetwin preprocess");
  options.text("--like", a.like, "NAME", "espdl: what --params says anyway, as in `run`")
      .choices({"espdl"})
      .needs(params);
  options.text("--decode", a.decode, "NAME", "What the outputs are, where they do not tell")
      .choices(decoders());
  options.number("--threshold", a.threshold, "X", "Leaves out found objects of a lower score")
      .not_negative();
}

// A checkpoint of `train` on its data.
void declare_trained(const OptionSet& all, EvaluateArguments& a) {
  OptionSet options = all.in_group("Checkpoints of `train`, without --task");
  options.flag("-8,--8-bit-mode", a.integers, "The chip's integers, by the twin");
  options.text("--split", a.split, "PART", "Which items; test").choices({"train", "val", "test"});
  options.flag("--confusion", a.confusion, "Prints who was taken for whom");
  options.flag("--regression", a.regression, "Numbers instead of classes");
  options.file("--train", a.settings, "Settings of the run, as `train` takes them");
  options.output("--save-csv", a.save_csv, "P", "Writes P_ytrue.csv, P_ypred.csv and P_x.csv");
  options
      .number("--attribution", a.attribution, "N",
              "Pictures of N items in -o: what speaks for each class, by\ngradient and by "
              "covering squares")
      .positive();
  options.file("--onnx", a.onnx, "Writes the network: real numbers, with -8 the chip's integers");
  options.number("--at-least", a.at_least, "X", "Exit code 1 below X % right").range(0.0, 100.0);
}

}  // namespace

void declare(OptionSet& options, EvaluateArguments& a) {
  options
      .positional(
          "MODEL", a.models,
          "A .tflite, .espdl or .onnx file, or a network .yaml for a\nMAX78000; several are "
          "compared with the first")
      .required();
  options
      .text("--task", a.task, "TASK",
            "What the network is judged by; a checkpoint of `train` needs none")
      .choices(evaluation_tasks());
  declare_set(options, a);
  declare_way(options, a);
  options
      .text("--shard", a.shard, "K/N",
            "Only the samples i with i mod N + 1 = K; -o gets a part, which\n`merge` puts "
            "together")
      .not_empty();
  options.file("-o,--output", a.output,
               "File for the figures (JSON). Beside it stands what was computed,\nuntil all is "
               "there: a second start goes on with it");
  options.file("--report", a.report, "Page with the figures and the worst samples");
  options.force("Overwrite existing outputs");
  declare(options, a.compute);
  options
      .text("--device", a.device, "WHERE",
            "Compiled models on a device: usb, usb:PATH, virtual, virtual:source")
      .check(refuse_device);
  options.file("--reference", a.reference, "Of virtual:source: the network that was compiled");
  declare_max78_inputs(options, a.max78);
  declare_input_shape(options, a.max78);
  declare_trained(options, a);
}

Verb verb_evaluate() {
  return {.name = "evaluate",
          .group = group::kNetworks,
          .summary = "Accuracy of the chip's integers over a data set",
          .example = "edgetwin evaluate model.tflite --data test --task classify -o result.json",
          .notes =
              "--numerics takes several names with commas: each network computes in each.\n"
              "--threads is the number of samples computed at a time.\n"
              "mpirun -n N edgetwin evaluate … shares the samples among N processes.",
          .declare = declaration_of<EvaluateArguments>()};
}

}  // namespace edgetwin::cli
