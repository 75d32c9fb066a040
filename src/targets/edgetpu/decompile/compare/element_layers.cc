#include "targets/edgetpu/decompile/compare/element_layers.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

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
  if (op.kind == OpKind::transpose_conv) return graph.value(op.inputs[2]);
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

int padding_before(int64_t in, int64_t out, int reach, int stride) {
  const int64_t total = std::max<int64_t>(0, (out - 1) * stride + reach - in);
  return static_cast<int>(total / 2);
}

namespace {

// Places inside of the picture of the windows along an axis: windows over the edge have fewer.
std::set<int64_t> places_inside(int64_t size, int64_t outputs, int kernel, int stride, bool same) {
  const int pad = same ? padding_before(size, outputs, kernel, stride) : 0;
  std::set<int64_t> counts;
  for (int64_t k = 0; k < outputs; ++k) {
    const int64_t from = k * stride - pad;
    counts.insert(std::min(size, from + kernel) - std::max<int64_t>(0, from));
  }
  return counts;
}

}  // namespace

std::vector<int64_t> pool_counts(const Graph& graph, const Op& op, const NetworkLayer& l) {
  if (op.kind != OpKind::average_pool_2d) return {int64_t{l.kernel_h} * l.kernel_w};
  const auto& a = op.as<PoolAttrs>();
  // What a PAD before it adds counts as a place.
  const Shape& in = graph.value(op.inputs[0]).shape;
  const bool same = a.padding.kind == Padding::Kind::same;
  std::set<int64_t, std::greater<>> counts;
  for (const int64_t y : places_inside(in[1], l.out_h, l.kernel_h, a.stride_h, same)) {
    for (const int64_t x : places_inside(in[2], l.out_w, l.kernel_w, a.stride_w, same)) {
      counts.insert(y * x);
    }
  }
  return {counts.begin(), counts.end()};
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
