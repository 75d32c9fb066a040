#include "cli/train/arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, TrainArguments& a) {
  OptionSet cases = options.in_group("Recorded cases of the arithmetic");
  cases.file("--cases", a.cases, "Compute the cases of an index (cases.json, or its folder)")
      .required();
  cases.text("--only", a.only, "ID", "One case: its id, else its file");
  cases.flag("--compare", a.compare,
             "Compare with the recorded results, by the documented tolerances");
  options.folder("-o,--output", a.output, "Folder for an .npz of results per case");
  options
      .number("--threads", a.threads, "N", "Without it: all processors; the results are the same")
      .range(1, 256);
  options.force("Overwrite existing files");
}

Verb verb_train() {
  return {.name = "train",
          .group = group::kNetworks,
          .summary = "Computes what training computes: layers, gradients, losses, steps",
          .example = "edgetwin train --cases data/training --compare",
          .notes =
              "This version has the arithmetic of training and its recorded cases: layers of\n"
              "the MAX78000 and MAX78002 in floating point, with quantization in the forward\n"
              "pass and in integers, their gradients, losses, optimizers, and ESP-DL's\n"
              "trainable quantizers. docs/training.md describes it.",
          .declare = declaration_of<TrainArguments>()};
}

}  // namespace edgetwin::cli
