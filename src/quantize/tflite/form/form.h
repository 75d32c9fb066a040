// Networks in TensorFlow Lite's form: channels last, its own kinds of operators.
#pragma once

#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "quantize/calibration/sample.h"

namespace edgetwin::quantize {

// A network as formats/onnx reads it (Layout::nchw) in TensorFlow Lite's form, in float. Inputs
// and outputs of four dimensions become channels last. Operators that TensorFlow Lite lacks are
// composed of others where the result is the same.
// Errors: quant_operator (one line per operator that has no such form), graph_*.
Result<Graph> to_tflite_form(const Graph& network);

// Calibration data of the network's inputs as those of its TensorFlow Lite form.
Result<std::vector<Sample>> to_tflite_samples(const Graph& network,
                                              const std::vector<Sample>& samples);

}  // namespace edgetwin::quantize
