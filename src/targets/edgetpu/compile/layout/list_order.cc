// Where lists that are joined stand in the order of operators.
#include <algorithm>
#include <set>

#include "targets/edgetpu/compile/judge/values.h"
#include "targets/edgetpu/compile/layout/branches.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// RESHAPEs whose results only a join takes, and all that needs them.
std::set<size_t> after_lists(const Graph& g, const std::vector<size_t>& ops) {
  std::set<ValueId> joined, made;
  for (const size_t k : ops) {
    const Op& op = g.ops[k];
    if (op.kind == OpKind::concatenation) joined.insert(op.inputs.begin(), op.inputs.end());
  }
  std::set<size_t> all;
  for (const size_t k : ops) {
    const Op& op = g.ops[k];
    const bool list = only_reshapes(op) && joined.contains(op.outputs[0]);
    const auto is_made = [&](ValueId id) { return made.contains(id); };
    if (!list && std::ranges::none_of(op.inputs, is_made)) continue;
    all.insert(k);
    made.insert(op.outputs.begin(), op.outputs.end());
  }
  return all;
}

class ListOrder {
 public:
  ListOrder(const Graph& g, const std::vector<size_t>& ops)
      : g_(g), ops_(ops), later_(after_lists(g, ops)) {
    for (const size_t k : ops) missing_.insert(g.ops[k].outputs.begin(), g.ops[k].outputs.end());
  }
  std::vector<size_t> run() {
    std::vector<size_t> first;
    for (const size_t k : ops_) {
      if (!later_.contains(k)) first.push_back(k);
    }
    std::vector<size_t> waiting;
    for (size_t n = 0; n < first.size(); ++n) {
      add(first[n]);
      waiting.push_back(first[n]);
      if (n + 1 < first.size() && beside(first[n], first[n + 1])) continue;
      for (; !waiting.empty(); waiting.pop_back()) add_readers(waiting.back());
    }
    return order_;
  }

 private:
  bool beside(size_t k, size_t next) const {
    const Op &a = g_.ops[k], &b = g_.ops[next];
    return a.kind == OpKind::conv_2d && b.kind == OpKind::conv_2d && a.inputs[0] == b.inputs[0];
  }
  void add(size_t k) {
    order_.push_back(k);
    for (const ValueId id : g_.ops[k].outputs) missing_.erase(id);
  }
  void add_readers(size_t made) {
    for (const size_t k : ops_) {
      const Op& op = g_.ops[k];
      const bool done = !missing_.contains(op.outputs[0]);
      const auto is_missing = [&](ValueId id) { return missing_.contains(id); };
      if (!later_.contains(k) || done ||
          std::ranges::find(op.inputs, g_.ops[made].outputs[0]) == op.inputs.end() ||
          std::ranges::any_of(op.inputs, is_missing)) {
        continue;
      }
      add(k);
      add_readers(k);
    }
  }

  const Graph& g_;
  const std::vector<size_t>& ops_;
  std::set<size_t> later_;
  std::set<ValueId> missing_;
  std::vector<size_t> order_;
};

}  // namespace

std::vector<size_t> lists_when_made(const Graph& g, const std::vector<size_t>& ops) {
  std::vector<size_t> order = ListOrder(g, ops).run();
  return order.size() == ops.size() ? order : ops;
}

}  // namespace edgetwin::edgetpu::compiler
