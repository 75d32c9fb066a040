#include "targets/edgetpu/decompile/compare/element_layers.h"

#include <algorithm>
#include <cstring>

#include "numerics/edgetpu/elementwise.h"

namespace edgetwin::edgetpu {
namespace {

bool reduces(const Value& axes, int rank, int axis) {
  const size_t count = axes.constant->size() / sizeof(int32_t);
  for (size_t k = 0; k < count; ++k) {
    int32_t n = 0;
    std::memcpy(&n, axes.constant->data() + k * sizeof(n), sizeof(n));
    if ((n < 0 ? n + rank : n) == axis) return true;
  }
  return false;
}

}  // namespace

const Value& data_of(const Graph& graph, const Op& op) {
  const Value& first = graph.value(op.inputs[0]);
  const bool other = first.is_constant() && op.inputs.size() > 1 && op.inputs[1] != kAbsent;
  return other ? graph.value(op.inputs[1]) : first;
}

void take_mean(const Graph& graph, const Op& op, NetworkLayer& layer) {
  const Shape& in = graph.value(op.inputs[0]).shape;
  const Value& axes = graph.value(op.inputs[1]);
  constexpr int kPicture = 4;
  if (in.rank() != kPicture || !axes.is_constant()) return;
  const bool rows = reduces(axes, kPicture, 1);
  const bool columns = reduces(axes, kPicture, 2);
  if (!rows && !columns) return;
  layer.kind = "AVERAGE_POOL_2D";
  layer.kernel_h = rows ? static_cast<int>(in[1]) : 1;
  layer.kernel_w = columns ? static_cast<int>(in[2]) : 1;
  layer.out_h = rows ? 1 : in[1];
  layer.out_w = columns ? 1 : in[2];
}

void take_factors(const Graph& graph, const Op& op, NetworkLayer& layer) {
  const Value& data = data_of(graph, op);
  for (const ValueId id : op.inputs) {
    const Value& v = graph.value(id);
    if (!v.is_constant()) continue;
    layer.weights = *v.constant;
    if (v.dtype == DType::int8) {
      for (std::byte& b : layer.weights) b ^= std::byte{0x80};
    }
    const int64_t count = v.shape.elements();
    if (count == 1 || count != layer.in_c || count == data.shape.elements()) continue;
    const bool number = std::all_of(layer.weights.begin(), layer.weights.end(),
                                    [&](std::byte b) { return b == layer.weights.front(); });
    if (number) {
      layer.weights.resize(1);
      continue;
    }
    layer.kind = "DEPTHWISE_CONV_2D";
    layer.multipliers.assign(static_cast<size_t>(count), layer.multipliers.front());
    if (&v == &graph.value(op.inputs[0])) std::swap(layer.zero_points[0], layer.zero_points[1]);
  }
}

void take_number(const numerics::BinarySpec& spec, DType dtype, NetworkLayer& layer) {
  const auto make = [&](auto type) {
    const auto rule = numerics::edgetpu::Binary<decltype(type)>::make(spec);
    if (!rule.ok()) return;
    layer.bias = {rule->number};
    layer.multipliers = {rule->m};
  };
  layer.kind = "ADD";
  dtype == DType::uint8 ? make(uint8_t{}) : make(int8_t{});
}

}  // namespace edgetwin::edgetpu
