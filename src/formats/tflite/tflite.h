// TensorFlow Lite model files (.tflite). docs/formats/tflite.md says what of them is read, what is
// kept, what is refused, and the limits.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "graph/graph.h"

namespace edgetwin::tflite {

// By the identifier at bytes 4 to 7; says nothing about the rest.
bool looks_like_tflite(ByteSpan data);

// `file` is used in errors only. Every graph of the result has passed verify_graph().
// Errors: tflite_*, truncated, bad_value, out_of_memory, graph_*.
Result<Model> read(ByteSpan data, const std::string& file);

// The same bytes for the same model. Constants that share their bytes share their buffer.
// Errors: tflite_write, and those of verify_graph().
Result<Bytes> write(const Model& model);

// "CONV_2D" for 3; "" for a code that is not in builtin_ops.def.
std::string_view builtin_name(int code);

}  // namespace edgetwin::tflite
