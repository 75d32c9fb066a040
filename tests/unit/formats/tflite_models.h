// Models made by hand for the tests of the TensorFlow Lite reader and writer.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace edgetwin::testing {

inline Value tensor(std::string name, DType type, Shape shape) {
  Value v;
  v.name = std::move(name);
  v.dtype = type;
  v.shape = shape;
  return v;
}

inline Value constant(std::string name, DType type, Shape shape, std::byte first = std::byte{1}) {
  Value v = tensor(std::move(name), type, shape);
  const int64_t size = bits(type) == 0 ? 6 : storage_bytes(type, shape.elements());
  Bytes content(static_cast<size_t>(size));
  for (size_t i = 0; i < content.size(); ++i) {
    const size_t next = static_cast<size_t>(first) + i;
    content[i] = static_cast<std::byte>(type == DType::boolean ? next % 2 : next);
  }
  v.constant = std::make_shared<const Bytes>(std::move(content));
  return v;
}

inline ValueId add(Graph& graph, Value value) {
  graph.values.push_back(std::move(value));
  return static_cast<ValueId>(graph.values.size() - 1);
}

inline Op make_op(OpKind kind, Attrs attrs, std::vector<ValueId> in, std::vector<ValueId> out) {
  Op op;
  op.kind = kind;
  op.attrs = std::move(attrs);
  op.inputs = std::move(in);
  op.outputs = std::move(out);
  return op;
}

inline Conv2DAttrs sample_conv() {
  Conv2DAttrs a;
  a.padding.kind = Padding::Kind::valid;
  a.stride_h = a.stride_w = 1;
  a.activation = Activation::relu6;
  return a;
}

// input 1x4x4x2 -> CONV_2D with per-channel int8 weights and bias -> output 1x4x4x3.
inline Model small_model() {
  Model model;
  model.format = "tflite";
  model.description = "small";
  Graph graph;
  graph.name = "main";
  Value input = tensor("input", DType::int8, {1, 4, 4, 2});
  input.quant = Quant::affine(0.5F, -1);
  Value weights = constant("weights", DType::int8, {3, 1, 1, 2});
  weights.quant = {Quant::Scheme::affine, {0.25F, 0.5F, 0.75F}, {0, 0, 0}, {}, 0};
  Value bias = constant("bias", DType::int32, {3}, std::byte{40});
  bias.quant = {Quant::Scheme::affine, {0.125F, 0.25F, 0.375F}, {0, 0, 0}, {}, 0};
  Value output = tensor("output", DType::int8, {1, 4, 4, 3});
  output.quant = Quant::affine(0.0625F, 7);
  const ValueId in = add(graph, input);
  const ValueId w = add(graph, weights);
  const ValueId b = add(graph, bias);
  const ValueId out = add(graph, output);
  graph.ops.push_back(make_op(OpKind::conv_2d, sample_conv(), {in, w, b}, {out}));
  graph.ops[0].version = 3;
  graph.inputs = {in};
  graph.outputs = {out};
  model.graphs.push_back(graph);
  return model;
}

// Attributes that differ from their defaults wherever a file keeps them. One overload per struct,
// so that a new struct in attrs.h does not compile here until it has a sample.
inline void vary(NoAttrs&, OpKind) {}
inline void vary(ActivationAttrs& a, OpKind) { a = {Activation::sign_bit}; }
inline void vary(BinaryAttrs& a, OpKind kind) {
  a = {Activation::relu_n1_to_1, kind != OpKind::add && kind != OpKind::sub};
}
inline void vary(Conv2DAttrs& a, OpKind kind) {
  a = {{Padding::Kind::valid}, 2, 3, 4, 5, kind == OpKind::depthwise_conv_2d ? 6 : 0,
       Activation::relu6};
}
inline void vary(TransposeConvAttrs& a, OpKind) {
  a = {{Padding::Kind::valid}, 2, 3, Activation::relu};
}
inline void vary(PoolAttrs& a, OpKind) {
  a = {{Padding::Kind::valid}, 2, 3, 4, 5, Activation::relu};
}
inline void vary(FullyConnectedAttrs& a, OpKind) { a = {Activation::tanh, 1, true, true}; }
inline void vary(ConcatAttrs& a, OpKind) { a = {-1, Activation::relu}; }
inline void vary(SoftmaxAttrs& a, OpKind) { a = {1.5F}; }
inline void vary(ReshapeAttrs& a, OpKind) { a = {{1, -1, 7}}; }
inline void vary(ResizeAttrs& a, OpKind) { a = {true, true}; }
inline void vary(BlockAttrs& a, OpKind) { a = {2}; }
inline void vary(GatherAttrs& a, OpKind) { a = {-2, 1}; }
inline void vary(ReduceAttrs& a, OpKind) { a = {true}; }
inline void vary(SqueezeAttrs& a, OpKind) { a = {{0, 2}}; }
inline void vary(StridedSliceAttrs& a, OpKind) { a = {1, 2, 4, 8, 16, true}; }
inline void vary(SplitAttrs& a, OpKind) { a = {3}; }
inline void vary(CastAttrs& a, OpKind) { a = {DType::int4, DType::bfloat16}; }
inline void vary(ArgAttrs& a, OpKind) { a = {DType::int64}; }
inline void vary(ShapeAttrs& a, OpKind) { a = {DType::int32}; }
inline void vary(PackAttrs& a, OpKind) { a = {1, -1}; }
inline void vary(UnpackAttrs& a, OpKind) { a = {1, -2}; }
inline void vary(LstmAttrs& a, OpKind) { a = {Activation::tanh, 10.0F, 0.5F, true, true, true}; }
inline void vary(OpaqueAttrs& a, OpKind) {
  a = {"my-custom-op", 32, 0, Bytes{std::byte{9}, std::byte{0}, std::byte{8}}};
}
inline void vary(DetectionAttrs& a, OpKind) {
  a = {10, 2, 50, true, 0.25F, 0.5F, 90, 10.0F, 11.0F, 5.0F, 6.0F, {}};
}
inline void vary(PosenetAttrs& a, OpKind) { a = {7, 0.25F, 8, 12.5F, {}}; }
// Of ONNX and ESP-DL: no .tflite file has them.
inline void vary(MatMulAttrs&, OpKind) {}
inline void vary(AlphaAttrs&, OpKind) {}
inline void vary(NormAttrs&, OpKind) {}
inline void vary(ScaleAttrs&, OpKind) {}
inline void vary(SplitSizesAttrs&, OpKind) {}
inline void vary(BorderPadAttrs&, OpKind) {}
inline void vary(SliceStepsAttrs&, OpKind) {}
inline void vary(ScatterAttrs&, OpKind) {}
inline void vary(ReverseSequenceAttrs&, OpKind) {}
inline void vary(InsertZerosAttrs&, OpKind) {}
inline void vary(StreamingCacheAttrs&, OpKind) {}
inline void vary(RecurrentAttrs&, OpKind) {}
inline void vary(AxisAttrs&, OpKind) {}

inline Attrs varied_attrs(OpKind kind) {
  Attrs attrs = default_attrs(kind);
  std::visit([kind](auto& a) { vary(a, kind); }, attrs);
  return attrs;
}

// One operator of every kind that a file can hold, each fed by the graph's only input.
inline Model every_kind_model() {
  Model model;
  model.format = "tflite";
  Graph graph;
  graph.inputs = {add(graph, tensor("in", DType::float32, {1, 2, 3, 4}))};
  for (int i = 0; i < kOpKindCount; ++i) {
    const OpInfo& row = info(static_cast<OpKind>(i));
    if (!in_tflite(row.kind)) continue;
    std::vector<ValueId> outputs;
    for (int o = 0; o < std::max(1, row.outputs.min); ++o) {
      outputs.push_back(
          add(graph, tensor(std::string(row.name) + std::to_string(o), DType::float32, {2})));
    }
    const std::vector<ValueId> inputs(static_cast<size_t>(std::max(1, row.inputs.min)), 0);
    graph.ops.push_back(make_op(row.kind, varied_attrs(row.kind), inputs, outputs));
    graph.ops.back().version = 1 + i % 5;
    graph.outputs.insert(graph.outputs.end(), outputs.begin(), outputs.end());
  }
  model.graphs.push_back(std::move(graph));
  return model;
}

}  // namespace edgetwin::testing
