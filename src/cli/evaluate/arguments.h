// The arguments of `evaluate`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/compute_arguments.h"
#include "cli/shared/max78_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct EvaluateArguments {
  std::vector<std::string> models;
  std::string data, task, pictures, targets, labels, resize, params, like, decode;
  std::optional<int64_t> label_offset;
  std::optional<double> threshold;
  std::string shard;  // "K/N"
  std::string device, reference;
  uint64_t limit = 0, shuffle = 0;
  ComputeArguments compute;
  Max78Arguments max78;
  Output output, report;
  // --- Checkpoints of `train`.
  bool integers = false, confusion = false, regression = false;
  std::string split, settings;
  Output save_csv, onnx;
  uint64_t attribution = 0;
  std::optional<double> at_least;
};

void declare(OptionSet& options, EvaluateArguments& a);
Result<int> execute(const EvaluateArguments& a, Console& console);

// trained.cc: a description without --task is judged on the data that it is trained with.
bool is_trained(const EvaluateArguments& a);
Result<int> execute_trained(const EvaluateArguments& a, Console& console);

}  // namespace edgetwin::cli
