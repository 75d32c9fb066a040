#include "cli/compile/arguments.h"

#include "targets/target.h"

namespace edgetwin::cli {

namespace {

// A file of the project is called after it.
std::string refuse_path(const std::string& word) {
  const bool path = word.find('/') != std::string::npos || word == "." || word == "..";
  return path ? "'" + word + "' is a path, not the name of a project" : "";
}

// Else it would take the value of an option of the vendor's loader.
std::string refuse_other_than_yaml(const std::string& word) {
  return word.ends_with(".yaml") || word.ends_with(".yml") ? "" : "'" + word + "' is not a .yaml";
}

void declare_second(OptionSet options, CompileArguments& a) {
  options.file("--second-checkpoint", a.second_checkpoint, "Checkpoint of the second network");
  options.file("--second-weights", a.second_weights, "Or its weights, .npy or xs32:SEED");
  options.file("--second-bias", a.second_bias, "Its biases");
  options.file("--second-sample", a.second_sample, "Its sample");
  options
      .text("--memory", a.memory, "HOW",
            "Of two networks: divided (kernels beside each other, loaded once) or\nshared (each "
            "network's kernels are loaded before it runs)")
      .choices({"divided", "shared"});
}

}  // namespace

void declare(OptionSet& options, CompileArguments& a) {
  options
      .positional("NETWORK", a.max78.network,
                  "A network description, .yaml, with --plan also a float\n.onnx, or for the Edge "
                  "TPU a .tflite of bytes")
      .required();
  options
      .positional("SECOND", a.second,
                  "A second description, .yaml: both run in one program, one\nafter the other")
      .check(refuse_other_than_yaml);
  options.target(a.max78.target, targets::targets_with("compile")).required();
  declare_max78_inputs(options, a.max78);
  declare_input_shape(options, a.max78);
  options.file("--labels", a.labels,
               "Text file, a class per line: with --softmax the names that the program prints");
  options.folder(
      "-o,--output", a.output,
      "Folder of the C project; for the Edge TPU the file\n(NAME_edgetpu.tflite, beside it "
      "the log)");
  const OptionHandle plan = options.flag(
      "--plan", a.plan,
      "What the description leaves out is planned:\nprocessors, offsets, gaps; the plan is proven");
  declare_objective(options, a.max78).needs(plan);
  declare_calibrate(options, a.max78).needs(plan);
  options.text("--prefix", a.prefix, "NAME", "Name of the project").check(refuse_path);
  options.file("--program", a.program, "The register program, one access per line");
  options.file("--expected", a.expected, "The words of the known-answer test");
  options.file("--unload-reads", a.unload_reads, "The accesses of the unload function");
  options.force("Overwrite existing files");
  declare_max78_page(options, a.max78);
  declare_second(options.in_group("Two networks in one program (MAX78000, MAX78002)"), a);
  OptionSet edgetpu = options.in_group("Edge TPU");
  edgetpu.file("--proof", a.proof, "What was shown of the programs before the file was written");
  edgetpu.file(
      "--compare", a.compare,
      "The same network, compiled by the vendor's compiler: its\ninstructions beside ours, "
      "field by field");
  edgetpu
      .text("--like", a.like, "WHOSE",
            "vendor: instructions, waits and places as the vendor's newest\ncompiler has them, as "
            "far as its laws are known; the same results\nvendor-17: as the one before it, whose "
            "files name the chip 17")
      .choices({"vendor", "vendor-17"});
  edgetpu.flag("--fail-on-fallback", a.fail_on_fallback,
               "Exit with 1, and write nothing, if an operator stays on the host");
  edgetpu.number(
      "--segments", a.segments, "N",
      "A pipeline of so many chips: NAME_segment_K_of_N_edgetpu.tflite each, balanced by\n"
      "estimated time");
  edgetpu.number("--min-runtime-version", a.min_runtime_version, "N",
                 "Oldest version of the runtime that takes the file, 10 to 14 (14)");
}

Verb verb_compile() {
  return {.name = "compile",
          .group = group::kNetworks,
          .summary = "From a network to the program that the chip runs",
          .example =
              "edgetwin compile net.yaml --target max78000 --checkpoint net.pth.tar --sample s.npy "
              "-o demo",
          .notes = "Options of the vendor's loader are taken under its names: --fifo, --softmax, …",
          .declare = declaration_of<CompileArguments>()};
}

}  // namespace edgetwin::cli
