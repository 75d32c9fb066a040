#include "cli/shared/compute_arguments.h"

#include "cli/shared/value_checks.h"
#include "ops/registry/numerics.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

constexpr int kMaxThreads = 256;

std::string numerics_help() {
  std::string text = "The arithmetic; without it that of the model's format and target:";
  for (const ops::NumericsInfo& f : ops::all_numerics()) {
    text += "\n  " + std::string(f.name) + ": " + std::string(f.summary);
  }
  return text;
}

void declare_espdl(OptionSet options, ComputeArguments& a) {
  options.target(a.target, "The chip of an .espdl file, " +
                               targets::target_names({Family::espdl}, " or ") +
                               ", without it what the file tells; or of a network .yaml, " +
                               targets::target_names({Family::max78}, " or "));
  options.text("--runtime", a.runtime, "3.3.9",
               "Version of ESP-DL; up to 3.3.7 it interpolates 16-bit tables");
  options
      .setting(
          "--accumulators", [&a](const std::string& word) { a.wide = word == "wide"; }, "KIND",
          "chip: the lanes of the vector unit (default);\nwide: as the portable code of ESP-DL "
          "sums")
      .choices({"chip", "wide"});
  options.flag("--allow-undefined", a.allow_undefined,
               "Run operators whose result the runtime leaves undefined");
  options.text("--model", a.model, "NAME", "Which model of a package, by name or number")
      .not_empty();
  declare_key(options, a.key);
  options.list("--mean", a.mean, "X,..",
               "A picture becomes (pixel - mean) / std; 0, or one per channel");
  options.list("--std", a.std, "X,..", "255 without it, or one per channel")
      .check(refuse_not_above_0);
}

}  // namespace

void declare(OptionSet& options, ComputeArguments& a) {
  options.text("--numerics", a.numerics, "NAME", numerics_help()).not_empty();
  options.number("--threads", a.threads, "N", "Threads, 1 to 256; results do not depend on it")
      .range(1, kMaxThreads);
  const OptionHandle plain =
      options.flag("--plain", a.plain, "Only the plain operators, which define the results");
  options.text("--isa", a.isa, "NAME", "Force an instruction set; without it the best is taken")
      .excludes(plain)
      .not_empty();
  declare_shapes(options, a.shapes);
  declare_espdl(options.in_group("ESP-DL"), a);
}

void declare_inputs(OptionSet& options, std::vector<std::string>& inputs) {
  options
      .repeated("-i,--input", inputs, "X",
                "A model input: .npy, .npz, picture (PNG, JPEG, BMP) or xs32:SEED;\nonce per input "
                "in the model's order, or as NAME=FILE")
      .kind(ValueKind::file);
}

void declare_shapes(OptionSet& options, std::vector<std::string>& shapes) {
  options.repeated("--shape", shapes, "NAME=N,..",
                   "Of an .onnx file: the shape of an input that the file leaves open,\n"
                   "NAME=1,3,224,224; once per input");
}

void declare_key(OptionSet& options, std::string& key) {
  options.text("--key", key, "HEX", "The 16 bytes of an encrypted file, hexadecimal").not_empty();
}

}  // namespace edgetwin::cli
