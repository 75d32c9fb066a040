#include "cli/debug/arguments.h"

#include "targets/edgetpu/debugger/script.h"

namespace edgetwin::cli {

void declare(OptionSet& options, DebugArguments& a) {
  options
      .positional("PROGRAM", a.model,
                  "A compiled model, NAME_edgetpu.tflite; an executable, or a bare bitstream")
      .required();
  options.repeated("-i,--input", a.inputs, "FILE",
                   "Of each input of the program its numbers: .npy, or their bytes;\nwithout it "
                   "all inputs are zero");
  options.file("--weights", a.weights, "Of a program without a model: the bytes of its parameters");
  options.number("--operator", a.op, "N", "Which compiled operator of the model; 0 without it")
      .range(0, 65535);
  options.flag("--caching", a.caching,
               "Debug the program that loads the parameters, not the one that computes");
  declare(options, a.device, {});
  const OptionHandle script =
      options.file("--script", a.script, "Commands, a line each; without it standard input");
  options.repeated("-c,--command", a.commands, "TEXT", "One command; may be given several times")
      .excludes(script);
}

Verb verb_debug() {
  return {.name = "debug",
          .group = group::kEdgeTpu,
          .summary = "A compiled Edge TPU program, one instruction at a time",
          .example = "edgetwin debug net_edgetpu.tflite -c 'break tensor' -c continue -c registers",
          .notes = "Commands:\n" + edgetpu::DebugScript::help_text(),
          .declare = declaration_of<DebugArguments>()};
}

}  // namespace edgetwin::cli
