#include "targets/edgetpu/compile/judge/judge.h"
#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Answer check_window_pool(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const auto& a = op.as<PoolAttrs>();
  if (in.shape[3] != out.shape[3] ||
      !agrees(in, out, a.padding, {a.filter_h, a.stride_h, 1}, {a.filter_w, a.stride_w, 1})) {
    return no_sizes(g, index);
  }
  const Windows w =
      windows_of(in, out, a.padding, a.filter_h, a.filter_w, a.stride_h, a.stride_w, 1, 1);
  const auto empty = [](const Window& v, int64_t size) {
    return v.front >= v.kernel || v.stride * (v.outputs - 1) - v.front >= size;
  };
  if (empty(w.y, in.shape[1]) || empty(w.x, in.shape[2])) {
    return no(Rule::attributes, index, "some of its windows have no position of the picture");
  }
  return check_activation(index, a.activation);
}

}  // namespace

Answer check_pool(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const bool windows = op.kind == OpKind::average_pool_2d && is_map(out);
  if (is_map(in) && (windows || op.kind == OpKind::max_pool_2d)) {
    return check_window_pool(g, index);
  }
  if (!is_map(in) || !is_vector(out) || out.shape.elements() != in.shape[3]) {
    return no(Rule::shape, index,
              "it goes from " + to_string(in.shape) + " to " + to_string(out.shape) +
                  "; only averages over whole pictures are compiled");
  }
  if (op.kind == OpKind::average_pool_2d) {
    const auto& a = op.as<PoolAttrs>();
    if (a.filter_h != in.shape[1] || a.filter_w != in.shape[2]) {
      return no(Rule::attributes, index,
                "its window is " + std::to_string(a.filter_h) + " x " + std::to_string(a.filter_w) +
                    ", the picture " + std::to_string(in.shape[1]) + " x " +
                    std::to_string(in.shape[2]));
    }
    if (auto r = check_activation(index, a.activation)) return r;
  }
  if (!pool_fits(in.shape[1], in.shape[2])) {
    return no(Rule::wide_memory, index,
              "its " + std::to_string(in.shape[1] * in.shape[2]) +
                  " positions take more than 1,000 lines");
  }
  return std::nullopt;
}

}  // namespace edgetwin::edgetpu::compiler
