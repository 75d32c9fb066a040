// From a float network to full-integer int8 for TensorFlow Lite and the Edge TPU's compiler:
// activations affine with a zero point, filters of convolutions symmetric per output channel, those
// of fully connected layers per tensor, biases int32. docs/quantize.md, "TensorFlow Lite".
#pragma once

#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "graph/graph.h"
#include "quantize/quantize.h"

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

// A network as formats/onnx reads it (channels second) in TensorFlow Lite's form, in float. Inputs
// and outputs of four dimensions become channels last. Operators that TensorFlow Lite lacks are
// composed of others where the result is the same.
// Errors: quant_operator (one line per operator that has no such form), graph_*.
Result<Graph> to_tflite_form(const Graph& network);

// Calibration data of the network's inputs as those of its TensorFlow Lite form.
Result<std::vector<Sample>> to_tflite_samples(const Graph& network,
                                              const std::vector<Sample>& samples);

}  // namespace edgetwin::quantize
