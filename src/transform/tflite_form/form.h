// A network in TensorFlow Lite's form: channels last, its own kinds of operators.
#pragma once

#include "base/result.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace edgetwin::transform {

// A network as formats/onnx reads it (Layout::nchw) in TensorFlow Lite's form, in float. Inputs
// and outputs of four dimensions become channels last. Operators that TensorFlow Lite lacks are
// composed of others where the result is the same.
// Errors: quant_operator (one line per operator that has no such form), graph_*.
Result<Graph> to_tflite_form(const Graph& network);

// An input of the network as that of its TensorFlow Lite form: four dimensions become channels
// last, others stay.
Tensor to_channels_last(const Tensor& tensor);

}  // namespace edgetwin::transform
