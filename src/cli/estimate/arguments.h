// The arguments of `estimate`.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/shared/max78_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct EstimateArguments {
  std::string model, target, board, runtime, host, input, core, model_in, key, member;
  std::optional<double> clock;
  std::optional<int> cores;
  std::optional<int64_t> internal, reserve;
  bool no_param_copy = false, layers = false;
  Output image;
  Max78Arguments max78;
};

void declare(OptionSet& options, EstimateArguments& a);
Result<int> execute(const EstimateArguments& a, Console& console);

}  // namespace edgetwin::cli
