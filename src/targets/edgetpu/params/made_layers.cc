// Operators that become convolutions whose weights no file has.
#include <optional>

#include "targets/edgetpu/params/reference_parts.h"

namespace edgetwin::edgetpu {
namespace {

// All but the weights; false: it is not one of constant bytes.
bool take_numbers(const Graph& graph, size_t index, ValueId from, ReferenceLayer& l) {
  const Op& op = graph.ops[index];
  const Value& x = graph.value(from);
  const Value& w = graph.value(op.inputs[1]);
  if (!w.is_constant() || !is_one_byte(w.dtype) || !is_one_byte(x.dtype) || w.shape.rank() != 4 ||
      w.shape.elements() == 0) {
    return false;
  }
  l.op = index;
  l.label = op_label(graph, index);
  l.name = graph.value(op.outputs[0]).name;
  l.weight_type = w.dtype;
  l.weight_shape = w.shape;
  l.shape.kernel_h = static_cast<int>(w.shape[1]), l.shape.kernel_w = static_cast<int>(w.shape[2]);
  l.shape.spatial = has_positions(graph.value(op.outputs[0]));
  take_quantization(x, w, l);
  return true;
}

// Each output's weights stand at the input channels that it reads, zero points at the others.
Bytes spread_over_channels(const ReferenceLayer& l, ByteSpan weights, size_t of_each, bool deep) {
  const auto outputs = static_cast<size_t>(l.shape.out), inputs = static_cast<size_t>(l.shape.in);
  const size_t taps = static_cast<size_t>(l.shape.kernel_h) * static_cast<size_t>(l.shape.kernel_w);
  const std::byte flip = l.signed_weights() ? kFlip : std::byte{0};
  Bytes all;
  all.reserve(outputs * taps * inputs);
  for (size_t o = 0; o < outputs; ++o) {
    const size_t zero = l.content.zero_points.size() == 1 ? 0 : o;
    const size_t first = o / (outputs / (inputs / of_each)) * of_each;
    for (size_t t = 0; t < taps; ++t) {
      const size_t row = all.size();
      all.insert(all.end(), inputs, static_cast<std::byte>(l.content.zero_points[zero]));
      for (size_t k = 0; k < of_each; ++k) {
        const size_t from = deep ? t * outputs + o : (o * taps + t) * of_each + k;
        all[row + first + k] = weights[from] ^ flip;
      }
    }
  }
  return all;
}

// DEPTHWISE_CONV_2D with several outputs for a channel, CONV_2D of groups: as a convolution.
std::optional<ReferenceLayer> widened_layer(const Graph& graph, size_t index) {
  const Op& op = graph.ops[index];
  ReferenceLayer l;
  if (!take_numbers(graph, index, op.inputs[0], l)) return std::nullopt;
  const bool deep = op.kind == OpKind::depthwise_conv_2d;
  const Value& x = graph.value(op.inputs[0]);
  if (!x.has_shape || x.shape.rank() != 4) return std::nullopt;
  const int64_t channels = x.shape[3], of_each = deep ? 1 : l.weight_shape[3];
  const int64_t outputs = l.weight_shape[deep ? 3 : 0];
  constexpr int64_t kMostBytes = 1 << 22;  // as made
  if (channels <= 1 || of_each <= 0 || channels % of_each != 0 || channels == of_each ||
      outputs % (channels / of_each) != 0 || (deep && outputs == channels) ||
      outputs * channels * l.weight_shape[1] * l.weight_shape[2] > kMostBytes) {
    return std::nullopt;
  }
  l.shape.out = static_cast<int>(outputs), l.shape.in = static_cast<int>(channels);
  if (!known_channels(l)) return std::nullopt;
  take_bias(graph, op, 2, l);
  l.content.weights = spread_over_channels(l, *graph.value(op.inputs[1]).constant,
                                           static_cast<size_t>(of_each), deep);
  return l;
}

std::optional<ReferenceLayer> transposed_layer(const Graph& graph, size_t index) {
  const Op& op = graph.ops[index];
  ReferenceLayer l;
  if (!op.has_input(2) || !take_numbers(graph, index, op.inputs[2], l)) return std::nullopt;
  l.shape.out = static_cast<int>(l.weight_shape[0]),
  l.shape.in = static_cast<int>(l.weight_shape[3]);
  if (!known_channels(l)) return std::nullopt;
  take_bias(graph, op, 3, l);
  l.content.weights = *graph.value(op.inputs[1]).constant;
  if (l.signed_weights()) {
    for (std::byte& b : l.content.weights) b ^= kFlip;
  }
  return l;
}

}  // namespace

std::vector<ReferenceLayer> made_layers(const Graph& graph) {
  std::vector<ReferenceLayer> layers;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    std::optional<ReferenceLayer> layer;
    if (!op.has_input(0) || !op.has_input(1)) continue;
    if (op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d) {
      layer = widened_layer(graph, i);
    }
    if (op.kind == OpKind::transpose_conv) layer = transposed_layer(graph, i);
    if (layer) layers.push_back(std::move(*layer));
  }
  return layers;
}

}  // namespace edgetwin::edgetpu
