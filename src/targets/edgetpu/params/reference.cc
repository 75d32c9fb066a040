#include "targets/edgetpu/params/reference.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "targets/edgetpu/params/reference_parts.h"

namespace edgetwin::edgetpu {
namespace {

// Larger tensors are moved so many values at a time.
constexpr int kMovedTogether = 16;

// The scales of what the operator's result becomes without other arithmetic in between.
void add_output_scales(const Graph& graph, ValueId id, std::vector<float>& scales, int depth) {
  const Value& v = graph.value(id);
  if (!v.quant.scale.empty()) scales.push_back(v.quant.scale[0]);
  if (depth == 0) return;
  for (const Op& op : graph.ops) {
    const bool fusible = op.kind == OpKind::quantize || op.kind == OpKind::relu ||
                         op.kind == OpKind::relu6 || op.kind == OpKind::relu_n1_to_1 ||
                         op.kind == OpKind::reshape;
    if (fusible && op.inputs[0] == id) add_output_scales(graph, op.outputs[0], scales, depth - 1);
  }
}

// The kind of the weights and their sizes; false for filters that have no known layout.
bool take_shape(const Op& op, const Shape& w, BlockShape& s) {
  const auto size = [&w](int i) { return static_cast<int>(w[i]); };
  if (op.kind == OpKind::fully_connected && w.rank() == 2) {
    s.out = size(0), s.in = size(1);
    return true;
  }
  if (w.rank() != 4) return false;
  s.kernel_h = size(1), s.kernel_w = size(2);
  if (op.kind == OpKind::conv_2d) {
    s.out = size(0), s.in = size(3);
    if (s.out == 1 && s.in == 1) s.kind = BlockKind::depthwise;
    return true;
  }
  s.out = size(3);
  return true;
}

// Weights of depthwise operators stand with the channel innermost.
bool channel_is_last(const ReferenceLayer& l) {
  return l.weight_shape.rank() == 4 && l.weight_shape[0] == 1 && l.weight_shape[3] == l.shape.out &&
         l.shape.in == 1 && l.shape.out > 1;
}

Bytes reorder(const ReferenceLayer& l, ByteSpan from, bool to_chip) {
  Bytes to(from.begin(), from.end());
  if (channel_is_last(l)) {
    const auto channels = static_cast<size_t>(l.shape.out);
    const size_t taps = from.size() / channels;
    for (size_t c = 0; c < channels; ++c) {
      for (size_t t = 0; t < taps; ++t) {
        if (to_chip) to[c * taps + t] = from[t * channels + c];
        if (!to_chip) to[t * channels + c] = from[c * taps + t];
      }
    }
  }
  if (l.signed_weights()) {
    for (std::byte& b : to) b ^= kFlip;
  }
  return to;
}

}  // namespace

// Several output positions: more than one row of a picture or of a matrix.
bool has_positions(const Value& out) {
  return out.has_shape && out.shape.rank() > 0 && out.shape.elements() > out.shape.back(0);
}

void take_bias(const Graph& graph, const Op& op, size_t operand, ReferenceLayer& l) {
  if (!op.has_input(operand) || !graph.value(op.inputs[operand]).is_constant()) return;
  const Bytes& data = *graph.value(op.inputs[operand]).constant;
  if (data.size() != static_cast<size_t>(l.shape.out) * 4) return;
  l.content.bias.resize(static_cast<size_t>(l.shape.out));
  std::memcpy(l.content.bias.data(), data.data(), data.size());
  l.shape.has_bias =
      std::any_of(l.content.bias.begin(), l.content.bias.end(), [](int32_t b) { return b != 0; });
}

void take_quantization(const Value& x, const Value& w, ReferenceLayer& l) {
  l.input_scale = x.quant.scale_of(0);
  l.weight_scales = w.quant.scale;
  const int unsigned_by = l.signed_weights() ? 128 : 0;
  for (const int64_t z : w.quant.zero_point) {
    l.content.zero_points.push_back(static_cast<uint8_t>(z + unsigned_by));
  }
  if (l.content.zero_points.empty()) l.content.zero_points = {static_cast<uint8_t>(unsigned_by)};
  l.shape.has_zero = l.weight_scales.size() > 1;
  l.shape.has_scale = l.scales_differ();
}

bool known_channels(const ReferenceLayer& l) {
  const size_t scales = l.weight_scales.size();
  return scales == 1 || scales == static_cast<size_t>(l.shape.out);
}

std::vector<float> ReferenceLayer::effective_scales(float output_scale) const {
  std::vector<float> scales;
  for (size_t c = 0; c < static_cast<size_t>(shape.out); ++c) {
    scales.push_back(effective_scale(output_scale, c));
  }
  return scales;
}

float ReferenceLayer::effective_scale(float output_scale, size_t channel) const {
  const float weight = weight_scales[weight_scales.size() == 1 ? 0 : channel];
  return (input_scale * weight) * (1.0F / output_scale);
}

bool ReferenceLayer::scales_differ() const {
  return std::any_of(weight_scales.begin(), weight_scales.end(),
                     [this](float s) { return s != weight_scales[0]; });
}

std::vector<ReferenceLayer> reference_layers(const Graph& graph) {
  std::vector<ReferenceLayer> layers;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    const bool weighted = op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d ||
                          op.kind == OpKind::fully_connected;
    if (!weighted || !op.has_input(0) || !op.has_input(1)) continue;
    const Value& x = graph.value(op.inputs[0]);
    const Value& w = graph.value(op.inputs[1]);
    if (!w.is_constant() || !is_one_byte(w.dtype) || !is_one_byte(x.dtype)) continue;
    ReferenceLayer l;
    l.op = i;
    l.label = op_label(graph, i);
    l.name = graph.value(op.outputs[0]).name;
    l.weight_type = w.dtype;
    l.weight_shape = w.shape;
    if (!take_shape(op, w.shape, l.shape) || w.shape.elements() == 0) continue;
    // A depthwise operator with one input channel is an ordinary convolution.
    const bool one_to_one =
        op.kind == OpKind::depthwise_conv_2d && x.has_shape && x.shape.back(0) == l.shape.out;
    if (one_to_one) l.shape.kind = BlockKind::depthwise;
    if (op.kind == OpKind::depthwise_conv_2d && !one_to_one && x.shape.back(0) != 1) continue;
    l.shape.spatial = has_positions(graph.value(op.outputs[0]));
    take_quantization(x, w, l);
    if (!known_channels(l)) continue;
    take_bias(graph, op, 2, l);
    l.content.weights = to_chip_order(l, *w.constant);
    add_output_scales(graph, op.outputs[0], l.output_scales, 3);
    if (!l.output_scales.empty()) layers.push_back(std::move(l));
  }
  return layers;
}

Bytes to_chip_order(const ReferenceLayer& layer, ByteSpan weights) {
  return reorder(layer, weights, true);
}
Bytes to_model_order(const ReferenceLayer& layer, ByteSpan weights) {
  return reorder(layer, weights, false);
}

std::vector<ReferenceConstant> reference_constants(const Graph& graph) {
  std::vector<ReferenceConstant> constants;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    if (op.kind != OpKind::mul && op.kind != OpKind::add && op.kind != OpKind::sub) continue;
    for (const ValueId id : op.inputs) {
      const Value& v = graph.value(id);
      if (!v.is_constant() || !is_one_byte(v.dtype) || v.constant->size() < kLineBytes) continue;
      ReferenceConstant c{op_label(graph, i), *v.constant};
      if (v.dtype == DType::int8) {
        for (std::byte& b : c.bytes) b ^= kFlip;
      }
      constants.push_back(std::move(c));
    }
  }
  return constants;
}

std::vector<int> moved_counts(const Graph& graph) {
  std::set<int> counts;
  for (const Op& op : graph.ops) {
    if (op.kind != OpKind::reshape && op.kind != OpKind::concatenation &&
        op.kind != OpKind::split) {
      continue;
    }
    const Value& v = graph.value(op.outputs[0]);
    if (!is_one_byte(v.dtype) || !v.has_shape || !v.shape.is_static()) continue;
    const int64_t n = v.shape.elements();
    if (n > 1 && n <= kBlockChannels) counts.insert(static_cast<int>(n));
    if (n > kBlockChannels) counts.insert(kMovedTogether);
  }
  return {counts.begin(), counts.end()};
}

std::vector<ReferenceSoftmax> reference_softmaxes(const Graph& graph) {
  std::vector<ReferenceSoftmax> all;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    if (op.kind != OpKind::softmax) continue;
    const Value& x = graph.value(op.inputs[0]);
    if (!is_one_byte(x.dtype) || !x.has_shape || x.shape.rank() == 0 || x.shape.back(0) <= 0)
      continue;
    all.push_back({op_label(graph, i), static_cast<int>(x.shape.back(0)), x.quant.scale_of(0)});
  }
  return all;
}

}  // namespace edgetwin::edgetpu
