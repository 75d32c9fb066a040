// AVERAGE_POOL_2D, MAX_POOL_2D, MEAN and SUM.
#include <algorithm>
#include <cstring>

#include "targets/edgetpu/compile/judge/judge.h"
#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// The axes that MEAN and SUM reduce, counted from the end: 1 are the channels.
std::optional<std::vector<int>> axes_from_end(const Graph& g, const Op& op) {
  const Value& axes = g.value(op.inputs[1]);
  const int rank = g.value(op.inputs[0]).shape.rank();
  if (!axes.is_constant() || axes.dtype != DType::int32) return std::nullopt;
  std::vector<int> all;
  for (size_t at = 0; at + sizeof(int32_t) <= axes.constant->size(); at += sizeof(int32_t)) {
    int32_t axis = 0;
    std::memcpy(&axis, axes.constant->data() + at, sizeof axis);
    if (axis < -rank || axis >= rank) return std::nullopt;
    all.push_back(axis < 0 ? -axis : rank - axis);
  }
  return all;
}

Window whole_axis(int64_t n) { return {1, n, 1, 0, 1}; }
Window each_place(int64_t n) { return {n, 1, 1, 0, 1}; }

std::optional<PoolView> reduced_view(const Graph& g, const Op& op, const Picture& in) {
  const auto axes = axes_from_end(g, op);
  if (!axes || axes->empty()) return std::nullopt;
  const int rank = g.value(op.inputs[0]).shape.rank();
  PoolView v{in, {each_place(in.rows), each_place(in.columns)}};
  for (const int axis : *axes) {
    if (axis != 2 && axis != 3) return std::nullopt;
    (axis == 3 ? v.windows.y : v.windows.x) = whole_axis(axis == 3 ? in.rows : in.columns);
    if (axis == 2 && rank == 3) v.windows.y = whole_axis(in.rows);  // a list in several rows
  }
  // What is left of a picture of one column is a row where that axis is gone.
  const auto out = picture_of(g.value(op.outputs[0]));
  v.turned = out && out->columns == v.windows.y.outputs && out->rows == 1 && out->columns > 1 &&
             v.windows.x.outputs == 1;
  if (v.turned) std::swap(v.windows.y, v.windows.x);
  return v;
}

bool some_window_is_empty(const PoolView& v) {
  const auto empty = [](const Window& w, int64_t size) {
    return w.front >= w.kernel || w.stride * (w.outputs - 1) - w.front >= size;
  };
  return empty(v.windows.y, v.turned ? v.in.columns : v.in.rows) ||
         empty(v.windows.x, v.turned ? v.in.rows : v.in.columns);
}

bool sizes_follow(const Graph& g, const Op& op) {
  if (op.kind == OpKind::mean || op.kind == OpKind::sum) return true;
  const auto& a = op.as<PoolAttrs>();
  return agrees(g.value(op.inputs[0]), g.value(op.outputs[0]), a.padding,
                {a.filter_h, a.stride_h, 1}, {a.filter_w, a.stride_w, 1});
}

}  // namespace

bool PoolView::over_all() const {
  const auto all = [](const Window& w, int64_t size) {
    return w.outputs == 1 && w.front == 0 && w.kernel == size;
  };
  return !turned && all(windows.y, in.rows) && all(windows.x, in.columns);
}

std::optional<PoolView> pool_view(const Graph& g, const Op& op) {
  const Value& from = g.value(op.inputs[0]);
  const Value& to = g.value(op.outputs[0]);
  const auto in = picture_of(from);
  if (from.is_constant() || !in || from.shape.elements() != in->rows * in->columns * in->channels) {
    return std::nullopt;
  }
  std::optional<PoolView> v;
  if (op.kind == OpKind::mean || op.kind == OpKind::sum) {
    v = reduced_view(g, op, *in);
  } else if (is_map(from) && to.shape.rank() == 4) {
    const auto& a = op.as<PoolAttrs>();
    v = PoolView{
        *in, windows_of(from, to, a.padding, a.filter_h, a.filter_w, a.stride_h, a.stride_w, 1, 1)};
  }
  if (!v) return std::nullopt;
  const auto out = picture_of(to);
  const Picture wanted{v->windows.y.outputs, v->windows.x.outputs, in->channels};
  const bool one = wanted.rows * wanted.columns == 1;
  const bool agree = one ? is_vector(to) && to.shape.elements() == in->channels : out == wanted;
  return agree ? v : std::nullopt;
}

Answer check_pool(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const auto v = pool_view(g, op);
  if (!v) {
    return no(Rule::shape, index,
              "it goes from " + to_string(g.value(op.inputs[0]).shape) + " to " +
                  to_string(g.value(op.outputs[0]).shape) +
                  "; of one picture windows are compiled, or all of its rows, columns or both");
  }
  if (!sizes_follow(g, op)) return no_sizes(g, index);
  if (some_window_is_empty(*v)) {
    return no(Rule::attributes, index, "some of its windows have no position of the picture");
  }
  const bool plain = op.kind == OpKind::mean || op.kind == OpKind::sum;
  if (!plain) {
    if (auto r = check_activation(index, op.as<PoolAttrs>().activation)) return r;
  }
  if (op.kind == OpKind::max_pool_2d || !v->over_all()) return std::nullopt;
  if (!pool_fits(v->in.rows, v->in.columns)) {
    return no(Rule::wide_memory, index,
              "its " + std::to_string(v->in.rows * v->in.columns) + " positions take more than " +
                  std::to_string(kMostPoolLines) + " lines");
  }
  return std::nullopt;
}

}  // namespace edgetwin::edgetpu::compiler
