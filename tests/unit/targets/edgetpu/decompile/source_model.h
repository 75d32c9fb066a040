// Uncompiled models of one layer, of which the repository makes compiled ones by itself.
#pragma once

#include "graph/graph.h"

namespace edgetwin::edgetpu {

// A fully connected layer of `size` inputs and outputs between two operators that flip signs.
inline Model dense_source(int64_t size) {
  Graph g;
  const auto add = [&g](const char* name, DType dtype, Shape shape, Quant q) {
    Value v;
    v.name = name;
    v.dtype = dtype;
    v.shape = std::move(shape);
    v.quant = std::move(q);
    g.values.push_back(std::move(v));
    return static_cast<ValueId>(g.values.size() - 1);
  };
  const auto put = [&g](OpKind kind, Attrs attrs, std::vector<ValueId> in, ValueId out) {
    Op op;
    op.kind = kind;
    op.attrs = std::move(attrs);
    op.inputs = std::move(in);
    op.outputs = {out};
    g.ops.push_back(std::move(op));
  };
  const Shape row{1, size};
  const ValueId in = add("in", DType::uint8, row, Quant::affine(0.0078125F, 127));
  const ValueId in8 = add("in8", DType::int8, row, Quant::affine(0.0078125F, -1));
  Quant scales;
  scales.scheme = Quant::Scheme::affine;
  uint32_t state = 7;
  const auto random = [&state] {
    state ^= state << 13U;
    state ^= state >> 17U;
    state ^= state << 5U;
    return state;
  };
  for (int64_t c = 0; c < size; ++c) {
    scales.scale.push_back(0.003F + 1e-5F * static_cast<float>(random() % 97));
    scales.zero_point.push_back(0);
  }
  const ValueId weights = add("weights", DType::int8, Shape{size, size}, scales);
  Bytes bytes(static_cast<size_t>(size * size));
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() % 255 - 127);
  g.values.back().constant = std::make_shared<const Bytes>(std::move(bytes));
  const ValueId out8 = add("out8", DType::int8, row, Quant::affine(0.019F, 1));
  const ValueId out = add("out", DType::uint8, row, Quant::affine(0.019F, 129));
  put(OpKind::quantize, NoAttrs{}, {in}, in8);
  put(OpKind::fully_connected, FullyConnectedAttrs{}, {in8, weights}, out8);
  put(OpKind::quantize, NoAttrs{}, {out8}, out);
  g.inputs = {in};
  g.outputs = {out};
  Model model;
  model.format = "tflite";
  model.graphs.push_back(std::move(g));
  return model;
}

}  // namespace edgetwin::edgetpu
