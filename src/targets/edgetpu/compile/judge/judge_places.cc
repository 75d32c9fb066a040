// Operators whose results lie between each other: TRANSPOSE_CONV, PACK, SPACE_TO_DEPTH and
// DEPTH_TO_SPACE; and MAXIMUM and MINIMUM.
#include <algorithm>

#include "targets/edgetpu/compile/judge/judge.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Answer another_scale(size_t index) {
  return no(Rule::attributes, index, "its result has another scale than its input");
}

std::string makes(const Graph& g, const Op& op) {
  return "it makes " + to_string(g.value(op.outputs[0]).shape) + " of " +
         to_string(g.value(data_of(op)).shape);
}

}  // namespace

std::vector<TransposedPhase> transposed_phases(const Window& forward, int64_t out) {
  std::vector<TransposedPhase> all;
  const int64_t stride = forward.stride;
  for (int64_t first = 0; first < std::min(stride, out); ++first) {
    TransposedPhase phase;
    phase.first = first;
    phase.tap = (first + forward.front) % stride;
    phase.window.outputs = ceil_div(out - first, stride);
    phase.window.kernel = ceil_div(std::max<int64_t>(0, forward.kernel - phase.tap), stride);
    phase.window.front = phase.window.kernel - 1 - (first + forward.front) / stride;
    all.push_back(phase);
  }
  return all;
}

TransposedPhases transposed_phases(const Graph& g, const Op& op) {
  const auto& a = op.as<TransposeConvAttrs>();
  const Value& in = g.value(op.inputs[2]);
  const Value& out = g.value(op.outputs[0]);
  const Shape& filter = g.value(op.inputs[1]).shape;
  const Windows w = windows_of(out, in, a.padding, static_cast<int>(filter[1]),
                               static_cast<int>(filter[2]), a.stride_h, a.stride_w, 1, 1);
  return {transposed_phases(w.y, out.shape[1]), transposed_phases(w.x, out.shape[2])};
}

Answer check_transposed(const Source& s, size_t index) {
  const Graph& g = s.graph;
  const Op& op = g.ops[index];
  const auto& a = op.as<TransposeConvAttrs>();
  if (auto r = check_activation(index, a.activation)) return r;
  const auto layer = s.layers.find(index);
  const Value& in = g.value(data_of(op));
  const Value& out = g.value(op.outputs[0]);
  if (layer == s.layers.end()) {
    return no(Rule::attributes, index,
              "its weights are no constants of one byte each with one scale, or one for each "
              "output channel");
  }
  const BlockShape& b = layer->second.shape;
  if (!is_map(in) || !is_map(out)) {
    return no(Rule::shape, index, makes(g, op) + "; pictures are compiled");
  }
  const bool channels = in.shape[3] == b.in && out.shape[3] == b.out;
  if (!channels ||
      !agrees(out, in, a.padding, {b.kernel_h, a.stride_h, 1}, {b.kernel_w, a.stride_w, 1})) {
    return no_sizes(g, index);
  }
  if (b.kernel_h < a.stride_h || b.kernel_w < a.stride_w) {
    return no(Rule::attributes, index, "its window is smaller than its stride");
  }
  return std::nullopt;
}

std::optional<Interleaving> packed_places(const Graph& g, const Op& op) {
  const Value& in = g.value(op.inputs[0]);
  const auto from = picture_of(in), to = picture_of(g.value(op.outputs[0]));
  if (!from || !to || from->channels != to->channels) return std::nullopt;
  const auto& a = op.as<PackAttrs>();
  const int axis = a.axis < 0 ? a.axis + in.shape.rank() + 1 : a.axis;
  if (axis < 0 || axis > in.shape.rank()) return std::nullopt;
  const int64_t inner = in.shape.elements(axis, in.shape.rank());
  const auto n = static_cast<int64_t>(op.inputs.size());
  const bool columns =
      inner == from->channels && to->rows == from->rows && to->columns == n * from->columns;
  const bool rows = inner == from->channels * from->columns && to->columns == from->columns &&
                    to->rows == n * from->rows;
  if (columns) return Interleaving{1, n};
  if (rows) return Interleaving{n, 1};
  return std::nullopt;
}

Answer check_pack(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  if (!packed_places(g, op)) {
    return no(Rule::shape, index,
              makes(g, op) + "; rows or columns of pictures are packed between each other");
  }
  for (const ValueId id : op.inputs) {
    const Value& in = g.value(id);
    if (in.is_constant()) return no(Rule::attributes, index, "one of its parts is a constant");
    if (auto r = check_value(g, index, id)) return r;
    if (in.shape != g.value(op.inputs[0]).shape) return no_sizes(g, index);
    if (!same_numbers(in, g.value(op.outputs[0]))) return another_scale(index);
  }
  return std::nullopt;
}

Answer check_blocks(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const auto& a = op.as<BlockAttrs>();
  if (!is_map(in) || !is_map(out) || a.block_size < 2 ||
      a.order != BlockAttrs::Order::position_first) {
    return no(Rule::shape, index, makes(g, op) + "; blocks of one picture are compiled");
  }
  const bool deeper = op.kind == OpKind::space_to_depth;
  const Shape &wide = deeper ? in.shape : out.shape, &deep = deeper ? out.shape : in.shape;
  const int64_t n = a.block_size;
  const bool agree = wide[1] == n * deep[1] && wide[2] == n * deep[2] && n * n * wide[3] == deep[3];
  if (!agree) return no_sizes(g, index);
  if (!same_numbers(in, out)) return another_scale(index);
  return std::nullopt;
}

Answer check_extreme(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& a = g.value(op.inputs[0]);
  const Value& b = g.value(op.inputs[1]);
  const Value& out = g.value(op.outputs[0]);
  if (a.is_constant() && b.is_constant()) {
    return no(Rule::attributes, index, "both of its operands are constants");
  }
  const Value& in = a.is_constant() ? b : a;
  const Value& other = a.is_constant() ? a : b;
  if (auto r = check_value(g, index, op.inputs[1])) return r;
  const bool elements = picture_of(in).has_value() || is_vector(in);
  const bool constant = other.is_constant() && (other.shape.elements() == 1 || same_elements(a, b));
  if (!elements || !(constant || a.shape == b.shape) || in.shape != out.shape) {
    return no(Rule::shape, index,
              "its operands are " + to_string(a.shape) + " and " + to_string(b.shape) +
                  "; two of one size are compiled");
  }
  if (!same_numbers(a, out) || !same_numbers(b, out)) {
    return no(Rule::attributes, index, "its operands and its result have different scales");
  }
  return std::nullopt;
}

}  // namespace edgetwin::edgetpu::compiler
