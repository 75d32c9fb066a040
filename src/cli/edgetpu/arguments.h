// The arguments of the verbs about compiled Edge TPU models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct DisasmArguments {
  std::string file;
  Output output;
};

struct AsmArguments {
  std::string text, into;
  Output output;
};

struct DecompileArguments {
  std::string model, source;
  Output output, report;
  std::optional<int> threads;
};

struct SynthesizeArguments {
  std::string what, against;
  Output output, dump;
  std::optional<int> size, height, width, channels, input_zero_point, output_zero_point;
  std::optional<double> output_scale;
};

struct ParamsListArguments {
  std::string model, reference;
};

struct ParamsBuildArguments {
  std::string reference, like;
  Output output;
};

struct ParamsExtractArguments {
  std::string model, reference;
  Output output;
};

struct ExtractArguments {
  std::string file;
  Output output;
};

struct PatchArguments {
  std::string model, reference;
  Output output;
  std::vector<std::string> weights, bias, scale;  // LAYER=FILE; scale also LAYER=NUMBER
  bool align_adds = false;                        // of an .espdl file
};

void declare(OptionSet& options, DisasmArguments& a);
Result<int> execute(const DisasmArguments& a, Console& console);

void declare(OptionSet& options, AsmArguments& a);
Result<int> execute(const AsmArguments& a, Console& console);

void declare(OptionSet& options, DecompileArguments& a);
Result<int> execute(const DecompileArguments& a, Console& console);

void declare(OptionSet& options, SynthesizeArguments& a);
Result<int> execute(const SynthesizeArguments& a, Console& console);

void declare(OptionSet& options, ParamsListArguments& a);
Result<int> execute(const ParamsListArguments& a, Console& console);

void declare(OptionSet& options, ParamsBuildArguments& a);
Result<int> execute(const ParamsBuildArguments& a, Console& console);

void declare(OptionSet& options, ParamsExtractArguments& a);
Result<int> execute(const ParamsExtractArguments& a, Console& console);

void declare(OptionSet& options, ExtractArguments& a);
Result<int> execute(const ExtractArguments& a, Console& console);

void declare(OptionSet& options, PatchArguments& a);
Result<int> execute(const PatchArguments& a, Console& console);
Result<int> align_additions(const PatchArguments& a, Console& console);  // --align-adds

}  // namespace edgetwin::cli
