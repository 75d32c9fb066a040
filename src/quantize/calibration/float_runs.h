// A float network over many samples, the samples shared among threads.
#pragma once

#include <functional>
#include <span>

#include "base/progress.h"
#include "exec/session.h"
#include "quantize/calibration/sample.h"

namespace edgetwin::quantize {

// The arithmetic of a network before it is quantized (numerics/numerics.def).
inline constexpr const char* kFloatNumerics = "onnx";

// Called once per sample when it has been computed; calls for different samples may overlap.
using AfterRun = std::function<Status(size_t sample, const exec::Session& session)>;

struct Runs {
  std::string numerics = kFloatNumerics;
  int threads = 1;
  ProgressSink progress;
  double from = 0.0, to = 1.0;  // of the whole progress
  std::string what;
};
// The error of the lowest sample that has one.
Status run_samples(const std::shared_ptr<const Graph>& graph, std::span<const Sample> samples,
                   const Runs& runs, const AfterRun& after);

}  // namespace edgetwin::quantize
