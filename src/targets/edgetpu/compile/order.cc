#include "targets/edgetpu/compile/order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace edgetwin::edgetpu::compiler {
namespace {

class Sorter {
 public:
  Sorter(const Graph& graph, std::vector<Side> sides)
      : graph_(graph), sides_(std::move(sides)), after_(sides_.size()), waits_(sides_.size()) {
    join();
    decide();
  }

  // The side that begins runs first.
  std::vector<size_t> order(Side side) const {
    std::vector<size_t> waits = waits_, order;
    std::map<Side, std::set<size_t>> ready;
    for (size_t k = 0; k < waits.size(); ++k) {
      if (waits[k] == 0) ready[sides_[k]].insert(k);
    }
    while (order.size() < waits.size()) {
      std::set<size_t>& now = ready[side];
      if (now.empty()) {
        side = side == Side::chip ? Side::host : Side::chip;
        if (ready[side].empty()) return {};  // a cycle
        continue;
      }
      const size_t k = *now.begin();
      now.erase(now.begin());
      order.push_back(k);
      for (const size_t next : after_[k]) {
        if (--waits[next] == 0) ready[sides_[next]].insert(next);
      }
    }
    return order;
  }

  // Groups of operators of the chip that one after the other makes.
  size_t runs(const std::vector<size_t>& order) const {
    size_t n = 0;
    bool chip = false;
    for (const size_t k : order) {
      if (works_[k] && !chip) ++n;
      if (works_[k]) chip = true;
      if (sides_[k] == Side::host) chip = false;
    }
    return n;
  }

 private:
  void edge(size_t from, size_t to) {
    if (from != to && after_[from].insert(to).second) ++waits_[to];
  }
  // What has a state, or may have one.
  bool keeps_place(const Op& op) const {
    if (op.kind == OpKind::opaque || op.outputs.empty()) return true;
    return std::ranges::any_of(
        op.inputs, [&](ValueId id) { return id != kAbsent && graph_.value(id).is_variable; });
  }
  void join() {
    std::map<ValueId, size_t> maker;
    std::optional<size_t> before;
    for (size_t k = 0; k < graph_.ops.size(); ++k) {
      for (const ValueId id : graph_.ops[k].inputs) {
        const auto found = maker.find(id);
        if (found != maker.end()) edge(found->second, k);
      }
      for (const ValueId id : graph_.ops[k].outputs) maker[id] = k;
      if (!keeps_place(graph_.ops[k])) continue;
      if (before) edge(*before, k);
      before = k;
    }
  }
  // What changes no byte goes with what it reads; what only the host made and takes stays there.
  void decide() {
    const size_t n = sides_.size();
    for (size_t k = 0; k < n; ++k) works_.push_back(sides_[k] == Side::chip);
    std::vector<bool> taken(n);
    for (size_t k = n; k-- > 0;) {
      for (const size_t next : after_[k]) {
        const bool either = sides_[next] == Side::either;
        if (sides_[next] == Side::host || (either && taken[next])) taken[k] = true;
      }
    }
    std::vector<bool> given(n, true);  // by the host, or by the network's input
    for (size_t k = 0; k < n; ++k) {
      if (sides_[k] == Side::either) sides_[k] = given[k] && taken[k] ? Side::host : Side::chip;
      if (sides_[k] == Side::host) continue;
      for (const size_t next : after_[k]) given[next] = false;
    }
  }

  const Graph& graph_;
  std::vector<Side> sides_;
  std::vector<std::set<size_t>> after_;
  std::vector<size_t> waits_;
  std::vector<bool> works_;
};

}  // namespace

std::vector<size_t> order_of_file(const Graph& graph) {
  std::vector<size_t> order(graph.ops.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

std::vector<size_t> order_by_side(const Graph& graph, const std::vector<Side>& sides) {
  const Sorter sorter(graph, sides);
  std::vector<size_t> best = order_of_file(graph);
  for (const Side first : {Side::host, Side::chip}) {
    std::vector<size_t> order = sorter.order(first);
    const bool whole = order.size() == best.size();
    if (whole && sorter.runs(order) < sorter.runs(best)) best = std::move(order);
  }
  return best;
}

int64_t elements_of(const Graph& graph, const std::vector<ValueId>& ids) {
  int64_t all = 0;
  for (const ValueId id : ids) all += graph.value(id).shape.elements();
  return all;
}

int64_t bytes_of_runs(const Graph& graph, const Segment& first, const Segment& second) {
  constexpr int64_t kOut = 3;
  return kOut * elements_of(graph, first.outputs) + elements_of(graph, first.inputs) +
         elements_of(graph, second.inputs);
}

}  // namespace edgetwin::edgetpu::compiler
