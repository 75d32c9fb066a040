// Which tensors have one scale in common, and what it is.
#include <numeric>
#include <optional>

#include "quantize/tflite/steps.h"

namespace edgetwin::quantize {
namespace {

bool is_data(const Graph& graph, ValueId id) {
  return id != kAbsent && graph.value(id).dtype == DType::float32;
}
bool is_computed(const Graph& graph, ValueId id) {
  return is_data(graph, id) && !graph.value(id).is_constant();
}

class ScaleGroups {
 public:
  ScaleGroups(Graph& graph, std::vector<RealRange>& ranges) : graph_(graph), ranges_(ranges) {
    fixed_.resize(graph.values.size());
    parent_.resize(graph.values.size());
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  void run() {
    for (const Op& op : graph_.ops) take_fixed(op);
    for (const Op& op : graph_.ops) take_same(op);
    std::vector<Op> ops;
    for (Op& op : graph_.ops) {
      take_join(op, ops);
      ops.push_back(std::move(op));
    }
    graph_.ops = std::move(ops);
  }

  std::vector<Quant> quants(std::vector<Finding>& findings) {
    // What was fused away is no tensor of the network any more.
    std::vector<bool> exists(graph_.values.size(), false);
    for (const ValueId id : graph_.inputs) exists[static_cast<size_t>(id)] = true;
    for (const Op& op : graph_.ops) {
      for (const ValueId id : op.outputs) exists[static_cast<size_t>(id)] = true;
    }
    std::vector<RealRange> whole(graph_.values.size());
    for (size_t v = 0; v < graph_.values.size(); ++v) whole[root(v)].take(ranges_[v]);
    std::vector<Quant> result(graph_.values.size());
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (!is_computed(graph_, static_cast<ValueId>(v))) continue;
      const size_t r = root(v);
      result[v] = fixed_[r] ? *fixed_[r] : asymmetric(whole[r]);
      const bool zero = whole[r].low == 0.0F && whole[r].high == 0.0F;
      if (fixed_[r] || !zero || !exists[v]) continue;
      findings.push_back({Severity::warning, "", graph_.values[v].name,
                          "the calibration data make nothing but 0 of this tensor",
                          "Calibrate with data that reach it; its scale is 1 now."});
    }
    return result;
  }

 private:
  size_t root(size_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void unite(ValueId a, ValueId b) {
    const size_t x = root(static_cast<size_t>(a));
    const size_t y = root(static_cast<size_t>(b));
    if (x == y) return;
    if (fixed_[y] && !fixed_[x]) fixed_[x] = fixed_[y];
    parent_[y] = x;
  }
  Scales scales_of(const Op& op) const { return tflite_operator(op.kind)->scales; }

  void take_fixed(const Op& op) {
    const auto out = static_cast<size_t>(op.outputs[0]);
    if (scales_of(op) == Scales::unit) fixed_[out] = Quant::affine(1.0F / 256.0F, -128);
    if (scales_of(op) == Scales::signed_unit) fixed_[out] = Quant::affine(1.0F / 128.0F, 0);
  }
  // The operand that carries the data; that of split comes second.
  static size_t data_operand(const Op& op) { return op.kind == OpKind::split ? 1 : 0; }

  void take_same(const Op& op) {
    if (scales_of(op) != Scales::same) return;
    const ValueId in = op.inputs[data_operand(op)];
    for (const ValueId out : op.outputs) {
      if (is_computed(graph_, in) && is_computed(graph_, out)) unite(in, out);
    }
  }

  // A tensor whose scale a kernel demands is converted first.
  void take_join(Op& op, std::vector<Op>& before) {
    if (scales_of(op) != Scales::join) return;
    for (ValueId& in : op.inputs) {
      if (!is_data(graph_, in)) continue;
      if (graph_.value(in).is_constant()) continue;
      if (fixed_[root(static_cast<size_t>(in))]) in = add_conversion(in, before);
      unite(op.outputs[0], in);
    }
  }

  ValueId add_conversion(ValueId from, std::vector<Op>& before) {
    const auto id = static_cast<ValueId>(graph_.values.size());
    Value v = graph_.value(from);
    v.name += "_requantized";
    graph_.values.push_back(std::move(v));
    ranges_.push_back(ranges_[static_cast<size_t>(from)]);
    fixed_.emplace_back();
    parent_.push_back(static_cast<size_t>(id));
    Op op;
    op.kind = OpKind::quantize;
    op.inputs = {from};
    op.outputs = {id};
    before.push_back(std::move(op));
    return id;
  }

  Graph& graph_;
  std::vector<RealRange>& ranges_;
  std::vector<std::optional<Quant>> fixed_;  // by root
  std::vector<size_t> parent_;
};

}  // namespace

std::vector<Quant> share_scales(Graph& graph, std::vector<RealRange>& ranges,
                                std::vector<Finding>& findings) {
  ScaleGroups sharing(graph, ranges);
  sharing.run();
  return sharing.quants(findings);
}

}  // namespace edgetwin::quantize
