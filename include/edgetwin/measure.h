// How long a network takes here, wherever it computes.
#pragma once

#include <span>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/runner.h"

namespace edgetwin {

// Microseconds.
struct RunTimes {
  double first = 0;  // the run before the measured ones: it touches the memory for the first time
  std::vector<double> runs;
  double median = 0, min = 0, max = 0;
  double p90 = 0;  // the smallest value with 90 % of the values at or below it
};

// One run, then `runs` measured ones, 1 or more, each after reset(). Errors: those of Runner::run.
EDGETWIN_API Result<RunTimes> measure(Runner& runner, std::span<const Tensor> inputs, int runs,
                                      const ProgressSink& progress = nullptr);

}  // namespace edgetwin
