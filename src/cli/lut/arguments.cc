#include "cli/lut/arguments.h"

#include "lut/function.h"
#include "lut/sweep.h"
#include "lut/table.h"
#include "targets/target.h"
#include "twin/make/lut_demo.h"

namespace edgetwin::cli {

namespace {

// "3.3.7": three numbers.
std::string refuse_version(const std::string& word) {
  int dots = 0;
  bool digit_before = false;
  for (const char c : word) {
    if (c == '.' && digit_before) {
      ++dots;
      digit_before = false;
    } else if (c >= '0' && c <= '9') {
      digit_before = true;
    } else {
      dots = -100;
    }
  }
  const bool good = dots == 2 && digit_before && word.size() <= 16;
  return good ? "" : "'" + word + "' is not a version like 3.3.9";
}

std::string function_list() {
  std::string text = "The function:";
  for (const lut::FunctionInfo& f : lut::all_functions()) text += " " + std::string(f.name);
  return text;
}

std::string formula_help() {
  std::string text = "Instead of FUNCTION: \"x*sigmoid(1.7*x)\", with + - * / ^, pi, e,";
  for (const lut::FormulaFunction& f : lut::formula_functions()) text += " " + std::string(f.name);
  return text;
}

void declare_formula(OptionSet& options, LutSpecArguments& a) {
  options.text("--formula", a.formula, "F", formula_help()).not_empty();
}

void declare_function(OptionSet& options, LutSpecArguments& a) {
  options.positional("FUNCTION", a.function, function_list()).kind(ValueKind::text);
  declare_formula(options, a);
}

void declare_exponents(OptionSet& options, LutSpecArguments& a, const std::string& out_text) {
  options.number("--in-exponent", a.in_exponent, "E", "Real input = integer times 2^E, -30 to 30")
      .range(-lut::kMaxExponent, lut::kMaxExponent);
  options.number("--out-exponent", a.out_exponent, "E", out_text)
      .range(-lut::kMaxExponent, lut::kMaxExponent);
}

void declare_parameters(OptionSet& options, LutSpecArguments& a) {
  options.number("--alpha", a.alpha, "X", "Slope or lower limit, for functions that have one");
  options.number("--beta", a.beta, "X", "Offset or upper limit, for functions that have one");
}

void declare_width(OptionSet& options, LutSpecArguments& a) {
  options.number("--bits", a.bits, "N", "Width of input and output: 8 or 16").one_of({8, 16});
  options.number("--step", a.step, "N", "16 bits: inputs between two entries, a power of two");
}

}  // namespace

void declare(OptionSet& options, LutBuildArguments& a) {
  declare_function(options, a.spec);
  declare_exponents(options, a.spec, "The same of the output");
  declare_width(options, a.spec);
  options.target(a.spec.target, "How entries are rounded: " + targets::targets_with("lut"));
  declare_parameters(options, a.spec);
  options.folder("-o,--output", a.output, "Folder for table.npy, interp.npy and nearest.npy");
  options.force("Overwrite existing outputs");
}

void declare(OptionSet& options, LutSweepArguments& a) {
  options.positional("SUBJECT", a.spec.function,
                     "A function, see edgetwin lut build; or a model (.espdl): all its tables");
  declare_formula(options, a.spec);
  options.file("--table", a.table, "Array of a given table (.npy) that should hold FUNCTION");
  declare_exponents(options, a.spec, "The same of the output");
  declare_width(options, a.spec);
  options.target(a.spec.target, targets::targets_with("lut") + "; a model may name it itself");
  declare_parameters(options, a.spec);
  options.text("--key", a.key, "HEX", "Of an encrypted model: 32 hexadecimal digits").not_empty();
  options
      .text("--runtime", a.runtime, "V",
            "Whose outputs the C header expects: up to 3.3.7 interpolated,\nlater nearest; 3.3.9 "
            "without it. The report has both")
      .check(refuse_version);
  options.flag("--floats", a.floats, "The header has floats of six decimals instead of integers");
  options.folder("-o,--output", a.output, "Folder for pictures, headers, arrays and mapping.json")
      .required();
  options.force("Overwrite existing outputs");
}

void declare(OptionSet& options, LutAdviseArguments& a) {
  declare_function(options, a.spec);
  declare_exponents(options, a.spec,
                    "The same of the output; without it the finest that does not saturate");
  options.target(a.spec.target, "How entries are rounded: " + targets::targets_with("lut") +
                                    "; half to even without it");
  declare_parameters(options, a.spec);
  OptionHandle lsb =
      options.number("--max-error", a.max_error, "LSB", "Largest error, in LSB of 16 bits");
  lsb.not_negative();
  options
      .number("--max-real-error", a.max_real_error, "X",
              "Largest error in real numbers, rounding included")
      .not_negative()
      .excludes(lsb);
}

void declare(OptionSet& options, LutDemoArguments& a) {
  std::string help = "Activations, all without it:";
  for (const std::string_view f : twin::lut_demo_functions()) help += " " + std::string(f);
  options.positional("FUNCTION", a.functions, help).kind(ValueKind::text);
  options.list("--targets", a.targets, "CHIP,..",
               "Chips with a vector unit; all of them without it");
  options.number("--step", a.step, "N", "Inputs between two entries, a power of two; 32 without it")
      .range(1, lut::kMaxStep);
  options
      .text("--runtime", a.runtime, "V",
            "Whose outputs header, network and firmware expect; 3.3.9 without it")
      .check(refuse_version);
  options
      .folder("-o,--output", a.output,
              "Folder for networks, tables, pictures, headers, mapping.json and firmware")
      .required();
  options.force("Overwrite existing outputs");
}

namespace {

Verb lut_demo() {
  return {.name = "demo",
          .group = "",
          .summary = "From a float activation to the chip in one command",
          .example = "edgetwin lut demo swish sigmoid tanh -o demo",
          .declare = declaration_of<LutDemoArguments>()};
}

Verb lut_build() {
  return {.name = "build",
          .group = "",
          .summary = "Builds a table as the exporter does",
          .example =
              "edgetwin lut build swish --in-exponent -12 --out-exponent -12 --bits 16 --step 32 "
              "--target esp32p4",
          .declare = declaration_of<LutBuildArguments>()};
}

Verb lut_sweep() {
  return {.name = "sweep",
          .group = "",
          .summary = "Computes tables for all inputs, and checks them",
          .example = "edgetwin lut sweep model.espdl --target esp32s3 -o luts",
          .declare = declaration_of<LutSweepArguments>()};
}

Verb lut_advise() {
  return {.name = "advise",
          .group = "",
          .summary = "Which table is good enough",
          .example = "edgetwin lut advise swish --in-exponent -12 --max-error 2",
          .declare = declaration_of<LutAdviseArguments>()};
}

}  // namespace

Verb verb_lut() {
  return {.name = "lut",
          .group = group::kEspdl,
          .summary = "Look-up tables of ESP-DL: builds, computes, advises",
          .example = "edgetwin lut advise swish --in-exponent -12 --max-error 2",
          .verbs = {lut_build(), lut_sweep(), lut_advise(), lut_demo()}};
}

}  // namespace edgetwin::cli
