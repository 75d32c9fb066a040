// The arguments of `lut build`, `lut sweep`, `lut advise` and `lut demo`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

// What a table is; as far as the verb asks for it.
struct LutSpecArguments {
  std::string function, formula;  // one of both
  std::optional<int> in_exponent, out_exponent;
  std::optional<int> bits, step;
  std::string target;  // with ESP-DL
  std::optional<float> alpha, beta;
};

struct LutBuildArguments {
  LutSpecArguments spec;
  Output output;
};

struct LutSweepArguments {
  LutSpecArguments spec;  // function: a function's name, or the file of a model
  std::string table, key;
  std::string runtime = "3.3.9";
  Output output;
  bool floats = false;
};

struct LutAdviseArguments {
  LutSpecArguments spec;
  std::optional<double> max_error, max_real_error;
};

struct LutDemoArguments {
  std::vector<std::string> functions, targets;
  int step = 32;
  std::string runtime = "3.3.9";
  Output output;
};

void declare(OptionSet& options, LutBuildArguments& a);
Result<int> execute(const LutBuildArguments& a, Console& console);

void declare(OptionSet& options, LutSweepArguments& a);
Result<int> execute(const LutSweepArguments& a, Console& console);

void declare(OptionSet& options, LutAdviseArguments& a);
Result<int> execute(const LutAdviseArguments& a, Console& console);

void declare(OptionSet& options, LutDemoArguments& a);
Result<int> execute(const LutDemoArguments& a, Console& console);

}  // namespace edgetwin::cli
