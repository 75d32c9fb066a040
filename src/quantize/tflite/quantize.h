// From a float network to full-integer int8 for TensorFlow Lite and the Edge TPU's compiler:
// activations affine with a zero point, filters of convolutions symmetric per output channel, those
// of fully connected layers per tensor, biases int32. docs/quantize-tflite.md.
#pragma once

#include <vector>

#include "base/finding.h"
#include "base/progress.h"
#include "base/result.h"
#include "graph/graph.h"
#include "quantize/calibration/method.h"
#include "quantize/calibration/sample.h"

namespace edgetwin::quantize {

struct TfliteSettings {
  Method method = Method::minmax;  // minmax or percentile
  int threads = 1;
};

struct TfliteQuantized {
  Model model;  // one graph, for tflite::write
  std::vector<Finding> findings;
};

// A float graph in TensorFlow Lite's form: channels last, its own kinds of operators; what the
// reader of a float .tflite gives. Samples are in the layout of its inputs.
// Errors: quant_operator (one line per operator without an int8 form), quant_calibration,
// quant_not_finite, quant_setting, op_*.
Result<TfliteQuantized> quantize_tflite(const Graph& network, const std::vector<Sample>& samples,
                                        const TfliteSettings& settings,
                                        const ProgressSink& progress = nullptr);

}  // namespace edgetwin::quantize
