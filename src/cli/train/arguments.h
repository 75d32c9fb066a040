// The arguments of `train`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct TrainArguments {
  // --- A network.
  std::string network, target, data, resume, init, schedule, policy, settings;
  std::optional<int> epochs, batch, qat_start, weight_bits, patience;
  std::optional<double> rate, momentum, decay, validation, quantile;
  std::string optimizer, batch_norm;
  bool no_bias = false, use_bias = false, no_qat = false, no_events = false;
  bool regression = false, reset_optimizer = false, average_rounding = false, dry_run = false;
  std::vector<std::string> set;
  std::string name;
  std::optional<int> sample;
  // Options of the vendor's program that change nothing here; a note says so.
  bool deterministic = false;
  std::string gpus, workers;
  std::optional<int64_t> seed;

  // --- Recorded cases.
  std::string cases, only;
  bool compare = false;

  Output output;
  std::optional<int> threads;
};

void declare(OptionSet& options, TrainArguments& a);
Result<int> execute(const TrainArguments& a, Console& console);

// cases.cc
Result<int> execute_cases(const TrainArguments& a, Console& console);
// --threads, or all processors
int threads_of(const TrainArguments& a);

}  // namespace edgetwin::cli
