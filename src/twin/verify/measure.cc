// Times of a runner.
#include "edgetwin/measure.h"

#include <chrono>

#include "report/measure.h"

namespace edgetwin {
namespace {

Result<double> one_run(Runner& runner, std::span<const Tensor> inputs) {
  EDGETWIN_TRY(runner.reset());
  const auto start = std::chrono::steady_clock::now();
  EDGETWIN_TRY(runner.run(inputs));
  const std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - start;
  return us.count();
}

}  // namespace

Result<RunTimes> measure(Runner& runner, std::span<const Tensor> inputs, int runs,
                         const ProgressSink& progress) {
  RunTimes times;
  EDGETWIN_TRY_ASSIGN(times.first, one_run(runner, inputs));
  for (int i = 0; i < runs; ++i) {
    EDGETWIN_TRY_ASSIGN(const double us, one_run(runner, inputs));
    times.runs.push_back(us);
    if (progress) progress(static_cast<double>(i + 1) / runs, "inference");
  }
  const report::Spread s = report::spread(times.runs);
  times.median = s.median;
  times.min = s.min;
  times.p90 = s.p90;
  times.max = s.max;
  return times;
}

}  // namespace edgetwin
