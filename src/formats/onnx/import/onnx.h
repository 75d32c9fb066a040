// ONNX networks (.onnx) as float32 graphs. docs/formats/onnx.md says what of them is read, what is
// folded, what is refused, and the limits.
//
// The graph keeps ONNX's own order of axes, so that a quantizer and an exporter see the network as
// its author wrote it (Layout::nchw); the numerics "onnx" (numerics/numerics.def) compute it in
// this order. It differs from graphs of Layout::nhwc in these points:
//
//   activations              NCHW, NCW, or whatever the network has; names as in the file
//   conv_2d                  filter O x C/group x KH x KW (one-dimensional: O x C/group x K); the
//                            number of groups is input channels / filter[1]; padding always given
//   depthwise_conv_2d        the same filter with C/group = 1, group = input channels > 1
//   ConvTranspose            becomes insert_zeros + conv_2d with turned filter, as ESP-DL has it
//   fully_connected          Gemm: filter N x K (transB, alpha, beta folded), keep_num_dims
//   matmul                   both operands in plain order (Order::rows), also a constant one
//   pooling                  filter 0 x 0 is the whole picture; padding given, ceil_mode resolved
//   resize, border_pad, …    lists in attributes have one entry per axis, in the tensor's order
//   transpose, reduce, clip  second operands are constants as formats/espdl makes them:
//                            perm int32, axes int64, limits float32
//   activations              stay operators of their own: nothing is fused into Activation
//
// All shapes are known, operators are in running order, Op::type is ONNX's name of the operator
// ("Conv", "Gemm"; "Swish" and the like for recognised patterns).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "formats/onnx/document/document.h"
#include "formats/onnx/patterns/passes.h"
#include "graph/graph.h"

namespace edgetwin::onnx {

struct ReadOptions {
  // Shapes of graph inputs by name, for dimensions that the file leaves open.
  std::map<std::string, std::vector<int64_t>, std::less<>> shapes;
  Passes passes;
  ExternalFiles external;
};

// "NAME=1,3,224,224": the input's name, and sizes of at least 1. Error: usage.
using NamedShape = std::pair<std::string, std::vector<int64_t>>;
Result<NamedShape> parse_shape(const std::string& word);
// Puts such words into the options; of two for one input the last counts. Error: usage.
Status add_shapes(ReadOptions& options, const std::vector<std::string>& words);
// Reads external data from the folder of the model file.
ExternalFiles files_beside(const std::string& model);

// `file` is used in errors only. The graph has passed verify_graph(). Model::findings holds what
// is odd, but runs; weights that are not finite are findings of Severity::error.
// Errors: onnx_*, out_of_memory, graph_*.
Result<Model> read(ByteSpan data, const std::string& file, const ReadOptions& options = {});

}  // namespace edgetwin::onnx
