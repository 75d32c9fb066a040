// Operators that move elements.
#include <algorithm>
#include <cstring>
#include <limits>

#include "formats/onnx/import/importer.h"

namespace edgetwin::onnx {
namespace {

constexpr int64_t kLow = std::numeric_limits<int32_t>::min();
constexpr int64_t kHigh = std::numeric_limits<int32_t>::max();

// A list that is a constant operand, or an attribute in older opsets.
Result<std::optional<std::vector<int64_t>>> optional_list(Importer& m, const Node& n, size_t i,
                                                          const char* attribute) {
  EDGETWIN_TRY_ASSIGN(auto values, m.integers(n, i, attribute));
  if (!values) values = n.integers(attribute);
  return values;
}

Result<std::vector<int64_t>> list(Importer& m, const Node& n, size_t i, const char* attribute) {
  EDGETWIN_TRY_ASSIGN(auto values, optional_list(m, n, i, attribute));
  if (values) return std::move(*values);
  return m.bad_attribute(n, attribute, "is missing");
}

Result<std::vector<int32_t>> narrow(Importer& m, const Node& n,
                                    const std::vector<int64_t>& numbers) {
  std::vector<int32_t> result;
  for (const int64_t v : numbers) {
    if (v < kLow || v > kHigh) {
      return m.error(n, ErrorCode::onnx_attribute, "a size or axis of " + std::to_string(v));
    }
    result.push_back(static_cast<int32_t>(v));
  }
  return result;
}

Result<int> normal_axis(Importer& m, const Node& n, int64_t axis, int rank) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  return m.bad_attribute(
      n, "axis",
      "is " + std::to_string(axis) + ", the input has " + std::to_string(rank) + " dimensions");
}

}  // namespace

Status lower_concat(Importer& m, const Node& n) {
  Op op = m.make(n, OpKind::concatenation);
  if (!n.integer("axis")) return m.bad_attribute(n, "axis", "is missing");
  ConcatAttrs a;
  EDGETWIN_TRY_ASSIGN(a.axis, small_integer(m, n, "axis", 0));
  op.attrs = a;
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(const ValueId id, m.input(n, i));
    op.inputs.push_back(id);
  }
  if (op.inputs.empty()) return m.error(n, ErrorCode::graph_arity, "no inputs");
  return m.finish(n, std::move(op));
}

Status lower_split(Importer& m, const Node& n) {
  Op op = m.make(n, OpKind::split_sizes);
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  const Shape in = m.shape(x);
  SplitSizesAttrs a;
  EDGETWIN_TRY_ASSIGN(a.axis, normal_axis(m, n, n.integer("axis").value_or(0), in.rank()));
  EDGETWIN_TRY_ASSIGN(auto sizes, optional_list(m, n, 1, "split"));
  if (!sizes) {
    const auto parts = static_cast<int64_t>(n.outputs.size());
    if (n.integer("num_outputs").value_or(parts) != parts || parts < 1) {
      return m.bad_attribute(n, "num_outputs", "is not the number of outputs");
    }
    // The last part may be smaller.
    const int64_t chunk = (in[a.axis] + parts - 1) / parts;
    sizes.emplace();
    for (int64_t left = in [a.axis], i = 0; i < parts; ++i, left -= chunk) {
      sizes->push_back(std::clamp<int64_t>(left, 0, chunk));
    }
  }
  a.sizes = std::move(*sizes);
  op.attrs = std::move(a);
  op.inputs = {x};
  return m.finish(n, std::move(op));
}

Status lower_slice(Importer& m, const Node& n) {
  SliceStepsAttrs a;
  EDGETWIN_TRY_ASSIGN(a.starts, list(m, n, 1, "starts"));
  EDGETWIN_TRY_ASSIGN(a.ends, list(m, n, 2, "ends"));
  EDGETWIN_TRY_ASSIGN(auto axes, optional_list(m, n, 3, "axes"));
  EDGETWIN_TRY_ASSIGN(auto steps, m.integers(n, 4, "steps"));
  for (size_t i = 0; !axes && i < a.starts.size(); ++i) a.axes.push_back(static_cast<int64_t>(i));
  if (axes) a.axes = std::move(*axes);
  a.steps = steps ? std::move(*steps) : std::vector<int64_t>(a.starts.size(), 1);
  const size_t count = a.starts.size();
  if (a.ends.size() != count || a.axes.size() != count || a.steps.size() != count) {
    return m.bad_attribute(n, "starts, ends, axes and steps", "differ in length");
  }
  for (const int64_t step : a.steps) {
    if (step < 1) return m.bad_attribute(n, "steps", "holds " + std::to_string(step));
  }
  for (auto* numbers : {&a.starts, &a.ends}) {
    for (int64_t& v : *numbers) v = std::clamp(v, kLow, kHigh);
  }
  Op op = m.make(n, OpKind::slice_steps);
  op.attrs = std::move(a);
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  op.inputs = {x};
  return m.finish(n, std::move(op));
}

Status lower_pad(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  const auto rank = static_cast<size_t>(m.shape(x).rank());
  BorderPadAttrs a;
  const std::string mode = n.text("mode").value_or("constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect") {
    return m.bad_attribute(n, "mode", "'" + mode + "' is not supported");
  }
  a.mode = mode == "edge"      ? BorderPadAttrs::Mode::edge
           : mode == "reflect" ? BorderPadAttrs::Mode::reflect
                               : BorderPadAttrs::Mode::constant;
  EDGETWIN_TRY_ASSIGN(const auto pads, list(m, n, 1, "pads"));
  EDGETWIN_TRY_ASSIGN(auto axes, m.integers(n, 3, "axes"));
  if (!axes) {
    axes.emplace();
    for (size_t i = 0; i < rank; ++i) axes->push_back(static_cast<int64_t>(i));
  }
  if (pads.size() != 2 * axes->size()) {
    return m.bad_attribute(n, "pads", "are not two numbers per axis");
  }
  a.before.assign(rank, 0);
  a.after.assign(rank, 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(m, n, (*axes)[i], static_cast<int>(rank)));
    a.before[static_cast<size_t>(axis)] = std::clamp(pads[i], kLow, kHigh);
    a.after[static_cast<size_t>(axis)] = std::clamp(pads[i + axes->size()], kLow, kHigh);
  }
  Op op = m.make(n, OpKind::border_pad);
  op.attrs = std::move(a);
  op.inputs = {x};
  if (n.has_input(2)) {
    EDGETWIN_TRY_ASSIGN(const ValueId value, m.input(n, 2));
    op.inputs.push_back(value);
  } else if (const auto value = n.real("value"); value && *value != 0.0F) {
    op.inputs.push_back(m.add_floats(n.outputs.at(0) + "/value", {}, {*value}));
  }
  return m.finish(n, std::move(op));
}

Status lower_transpose(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  auto perm = n.integers("perm");
  if (!perm) {
    perm.emplace();
    for (int i = m.shape(x).rank(); i-- > 0;) perm->push_back(i);
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<int32_t> order, narrow(m, n, *perm));
  Bytes data(order.size() * sizeof(int32_t));
  if (!order.empty()) std::memcpy(data.data(), order.data(), data.size());
  Op op = m.make(n, OpKind::transpose);
  op.inputs = {x, m.add_constant(n.outputs.at(0) + "/perm", DType::int32,
                                 {static_cast<int64_t>(order.size())}, std::move(data))};
  return m.finish(n, std::move(op), m.value(x).dtype);
}

Status lower_reshape(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  if (n.op_type == "Flatten") {
    Op op = m.make(n, OpKind::flatten);
    AxisAttrs a;
    EDGETWIN_TRY_ASSIGN(a.axis, small_integer(m, n, "axis", 1));
    op.attrs = a;
    op.inputs = {x};
    return m.finish(n, std::move(op));
  }
  if (n.op_type == "Reshape") {
    Op op = m.make(n, OpKind::reshape);
    ReshapeAttrs a;
    EDGETWIN_TRY_ASSIGN(const auto dims, list(m, n, 1, "shape"));
    EDGETWIN_TRY_ASSIGN(a.new_shape, narrow(m, n, dims));
    a.zero_copies = n.integer("allowzero").value_or(0) == 0;
    op.attrs = std::move(a);
    op.inputs = {x};
    return m.finish(n, std::move(op));
  }
  const bool squeeze = n.op_type == "Squeeze";
  Op op = m.make(n, squeeze ? OpKind::squeeze : OpKind::unsqueeze);
  EDGETWIN_TRY_ASSIGN(const auto axes, optional_list(m, n, 1, "axes"));
  if (!axes && !squeeze) return m.bad_attribute(n, "axes", "is missing");
  SqueezeAttrs a;
  if (axes) {
    EDGETWIN_TRY_ASSIGN(a.squeeze_dims, narrow(m, n, *axes));
  }
  op.attrs = std::move(a);
  op.inputs = {x};
  return m.finish(n, std::move(op));
}

Status lower_gather(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  EDGETWIN_TRY_ASSIGN(ValueId chosen, m.input(n, 1));
  GatherAttrs a;
  const Shape in = m.shape(x);
  EDGETWIN_TRY_ASSIGN(a.axis, normal_axis(m, n, n.integer("axis").value_or(0), in.rank()));
  // Negative indices count from the end; only constants can be rewritten.
  EDGETWIN_TRY_ASSIGN(auto indices, m.constant(n, 1) == nullptr
                                        ? Result<std::optional<std::vector<int64_t>>>(std::nullopt)
                                        : m.integers(n, 1, "the indices"));
  if (indices && std::any_of(indices->begin(), indices->end(), [](int64_t i) { return i < 0; })) {
    const Shape shape = m.shape(chosen);
    for (int64_t& i : *indices) i = i < 0 ? i + in[a.axis] : i;
    Bytes data(indices->size() * sizeof(int64_t));
    std::memcpy(data.data(), indices->data(), data.size());
    chosen = m.add_constant(m.value(chosen).name, DType::int64, shape, std::move(data));
  }
  Op op = m.make(n, OpKind::gather);
  op.attrs = a;
  op.inputs = {x, chosen};
  return m.finish(n, std::move(op));
}

Status lower_scatter(Importer& m, const Node& n) {
  constexpr std::string_view kNames[] = {"none", "add", "mul", "max", "min"};
  const std::string text = n.text("reduction").value_or("none");
  const auto* found = std::find(std::begin(kNames), std::end(kNames), text);
  if (found == std::end(kNames)) return m.bad_attribute(n, "reduction", "is '" + text + "'");
  Op op = m.make(n, OpKind::scatter_nd);
  op.attrs = ScatterAttrs{static_cast<ScatterAttrs::Reduction>(found - std::begin(kNames))};
  for (size_t i = 0; i < 3; ++i) {
    EDGETWIN_TRY_ASSIGN(const ValueId id, m.input(n, i));
    op.inputs.push_back(id);
  }
  return m.finish(n, std::move(op));
}

Status lower_reverse_sequence(Importer& m, const Node& n) {
  Op op = m.make(n, OpKind::reverse_sequence);
  ReverseSequenceAttrs a;
  EDGETWIN_TRY_ASSIGN(a.batch_axis, small_integer(m, n, "batch_axis", 1));
  EDGETWIN_TRY_ASSIGN(a.time_axis, small_integer(m, n, "time_axis", 0));
  op.attrs = a;
  for (size_t i = 0; i < 2; ++i) {
    EDGETWIN_TRY_ASSIGN(const ValueId id, m.input(n, i));
    op.inputs.push_back(id);
  }
  return m.finish(n, std::move(op));
}

Status lower_blocks(Importer& m, const Node& n) {
  const bool depth = n.op_type == "DepthToSpace";
  Op op = m.make(n, depth ? OpKind::depth_to_space : OpKind::space_to_depth);
  BlockAttrs a;
  EDGETWIN_TRY_ASSIGN(a.block_size, small_integer(m, n, "blocksize", 0));
  const std::string mode = n.text("mode").value_or("DCR");
  if (mode != "DCR" && mode != "CRD") return m.bad_attribute(n, "mode", "is '" + mode + "'");
  a.order = mode == "CRD" ? BlockAttrs::Order::channel_first : BlockAttrs::Order::position_first;
  op.attrs = a;
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  op.inputs = {x};
  return m.finish(n, std::move(op));
}

}  // namespace edgetwin::onnx
