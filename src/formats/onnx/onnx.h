// ONNX networks (.onnx) as float32 graphs. docs/formats/onnx.md says what of them is read, what is
// folded, what is refused, and the limits.
//
// The graph keeps ONNX's own order of axes, so that a quantizer and an exporter see the network as
// its author wrote it; the arithmetic "onnx" (ops/registry/flavours.def) computes it in this order.
// It differs from what graph/graph.h says of other formats in these points:
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

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "graph/graph.h"

namespace edgetwin::onnx {

// What is recognised and rewritten on reading; each can be switched off.
struct Passes {
  bool fold_batch_norm = true;     // into the convolution or Gemm before it
  bool fuse_bias = true;           // Conv or Gemm + constant per channel
  bool fuse_swish = true;          // x * Sigmoid(x) behind Conv, Gemm and the like
  bool swish_of_anything = false;  // also behind other operators, which the vendor's tool leaves
  bool fuse_hard_swish = true;     // x * HardSigmoid(x), x * clip(x + 3, 0, 6) / 6
  bool fuse_gelu = true;           // the forms with Erf and with Tanh
  // A Gelu that approximates by tanh is written out as its formula; else it is one with the others.
  bool write_out_tanh_gelu = false;
  bool fuse_layer_norm = true;  // mean, variance, scale and shift
};

struct ReadOptions {
  // Shapes of graph inputs by name, for dimensions that the file leaves open.
  std::map<std::string, std::vector<int64_t>, std::less<>> shapes;
  Passes passes;
  // Reads a file of external data, named relative to the model. Null: such models are refused.
  std::function<Result<Bytes>(const std::string& name)> external;
};

// Says nothing about the rest of the file.
bool looks_like_onnx(ByteSpan data);

// `file` is used in errors only. The graph has passed verify_graph(). Model::findings holds what
// is odd, but runs; weights that are not finite are findings of Severity::error.
// Errors: onnx_*, out_of_memory, graph_*.
Result<Model> read(ByteSpan data, const std::string& file, const ReadOptions& options = {});

}  // namespace edgetwin::onnx
