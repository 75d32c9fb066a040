#include "cli/arguments_lut.h"

#include <cmath>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/argument_words.h"

#include "lut/function.h"
#include "lut/sweep.h"
#include "lut/table.h"

namespace edgetwin::cli {
namespace {

constexpr const char* kNoText = " ";  // the parser's own words for a type are not shown

// "3.3.7": three numbers.
std::string is_version(const std::string& word) {
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
  constexpr size_t kLine = 66;
  std::string text = "The function:";
  size_t used = kLine;
  for (const lut::FunctionInfo& f : lut::all_functions()) {
    const bool fits = used + 1 + f.name.size() <= kLine;
    text += (fits ? " " : "\n  ") + std::string(f.name);
    used = (fits ? used + 1 : 2) + f.name.size();
  }
  return text;
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const lut::Target& t : lut::targets()) names.emplace_back(t.name);
  return names;
}

void add_exponents(CLI::App* verb, LutSpecArguments& a, const std::string& out_text) {
  const CLI::Range range(-lut::kMaxExponent, lut::kMaxExponent);
  verb->add_option("--in-exponent", a.in_exponent, "Real input = integer times 2^E, -30 to 30")
      ->check(range)
      ->option_text("E");
  verb->add_option("--out-exponent", a.out_exponent, out_text)->check(range)->option_text("E");
}

void add_parameters(CLI::App* verb, LutSpecArguments& a) {
  verb->add_option("--alpha", a.alpha, "Slope or lower limit, for functions that have one")
      ->option_text("X");
  verb->add_option("--beta", a.beta, "Offset or upper limit, for functions that have one")
      ->option_text("X");
}

void add_target(CLI::App* verb, LutSpecArguments& a, const std::string& text) {
  verb->add_option("--target", a.target, text)
      ->check(CLI::IsMember(target_names()))
      ->option_text("NAME");
}

void add_width(CLI::App* verb, LutSpecArguments& a) {
  verb->add_option("--bits", a.bits, "Width of input and output: 8 or 16")
      ->check(CLI::IsMember({8, 16}))
      ->option_text("N");
  verb->add_option("--step", a.step, "16 bits: inputs between two entries, a power of two")
      ->option_text("N");
}

CLI::App* add_build(CLI::App& lut, LutBuildArguments& a) {
  CLI::App* verb = lut.add_subcommand("build", "Builds a table as the exporter does");
  verb->add_option("FUNCTION", a.spec.function, function_list())->required()->option_text(kNoText);
  add_exponents(verb, a.spec, "The same of the output");
  add_width(verb, a.spec);
  add_target(verb, a.spec, "How entries are rounded: esp32s3, esp32p4 or c");
  add_parameters(verb, a.spec);
  verb->add_option("-o,--output", a.output, "Folder for table.npy, interp.npy and nearest.npy")
      ->check(not_empty)
      ->option_text("DIR");
  verb->add_flag("--force", a.force, "Overwrite existing outputs");
  verb->footer(
      "Example:\n  edgetwin lut build swish --in-exponent -12 --out-exponent -12 --bits 16 "
      "--step 32 --target esp32p4");
  return verb;
}

CLI::App* add_sweep(CLI::App& lut, LutSweepArguments& a) {
  CLI::App* verb = lut.add_subcommand("sweep", "Computes tables for all inputs, and checks them");
  verb->add_option("SUBJECT", a.spec.function,
                   "A function, see edgetwin lut build; or a model (.espdl): all its tables")
      ->required()
      ->option_text(kNoText);
  verb->add_option("--table", a.table, "Array of a given table (.npy) that should hold FUNCTION")
      ->check(not_empty)
      ->option_text("FILE");
  add_exponents(verb, a.spec, "The same of the output");
  add_width(verb, a.spec);
  add_target(verb, a.spec, "esp32s3, esp32p4 or c; a model may name it itself");
  add_parameters(verb, a.spec);
  verb->add_option("--key", a.key, "Of an encrypted model: 32 hexadecimal digits")
      ->check(not_empty)
      ->option_text("HEX");
  verb->add_option("--runtime", a.runtime,
                   "Whose outputs the C header expects: up to 3.3.7 interpolated,\nlater nearest; "
                   "3.3.9 without it. The report has both")
      ->check(is_version)
      ->option_text("V");
  verb->add_flag("--floats", a.floats, "The header has floats of six decimals instead of integers");
  verb->add_option("-o,--output", a.output, "Folder for pictures, headers, arrays and mapping.json")
      ->required()
      ->check(not_empty)
      ->option_text("DIR");
  verb->add_flag("--force", a.force, "Overwrite existing outputs");
  verb->footer("Example:\n  edgetwin lut sweep model.espdl --target esp32s3 -o luts");
  return verb;
}

CLI::App* add_advise(CLI::App& lut, LutAdviseArguments& a) {
  CLI::App* verb = lut.add_subcommand("advise", "Which table is good enough");
  verb->add_option("FUNCTION", a.spec.function, function_list())->required()->option_text(kNoText);
  add_exponents(verb, a.spec,
                "The same of the output; without it the finest that does not saturate");
  add_target(verb, a.spec, "How entries are rounded: esp32s3, c, or without it esp32p4");
  add_parameters(verb, a.spec);
  auto* lsb = verb->add_option("--max-error", a.max_error, "Largest error, in LSB of 16 bits")
                  ->check(at_least_zero)
                  ->option_text("LSB");
  verb->add_option("--max-real-error", a.max_real_error,
                   "Largest error in real numbers, rounding included")
      ->check(at_least_zero)
      ->option_text("X")
      ->excludes(lsb);
  verb->footer("Example:\n  edgetwin lut advise swish --in-exponent -12 --max-error 2");
  return verb;
}

}  // namespace

void add_lut(CLI::App& app, LutArguments& arguments) {
  CLI::App* lut = app.add_subcommand("lut", "Look-up tables of ESP-DL: builds, computes, advises");
  lut->require_subcommand(1);
  add_build(*lut, arguments.build);
  add_sweep(*lut, arguments.sweep);
  add_advise(*lut, arguments.advise);
  lut->footer("Example:\n  edgetwin lut advise swish --in-exponent -12 --max-error 2");
}

}  // namespace edgetwin::cli
