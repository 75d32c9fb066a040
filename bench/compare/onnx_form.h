// A quantized network in the operators that ONNX Runtime is fastest with: QLinearConv, QLinearAdd
// and their kin; what has no integer operator there is computed in float32 between
// DequantizeLinear and QuantizeLinear, as the tools that quantize for it leave it.
#pragma once

#include "base/result.h"
#include "formats/onnx/document/document.h"
#include "graph/graph.h"

namespace edgetwin::bench {

// `graph` has all shapes. Error: onnx_operator with the first operator that has no form.
Result<onnx::Document> onnx_form(const Graph& graph);

// The part of a graph before its decoders (custom operators), whose inputs become outputs.
Graph without_decoders(const Graph& graph);

}  // namespace edgetwin::bench
