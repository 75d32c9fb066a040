#include "graph/uses.h"

namespace edgetwin {

Uses::Uses(const Graph& graph) : of_(graph.values.size()) {
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    for (const ValueId id : graph.ops[i].outputs) {
      if (id != kAbsent) of_[static_cast<size_t>(id)].producer = i;
    }
    for (const ValueId id : graph.ops[i].inputs) {
      if (id == kAbsent) continue;
      Entry& entry = of_[static_cast<size_t>(id)];
      ++entry.count;
      if (entry.consumers.empty() || entry.consumers.back() != i) entry.consumers.push_back(i);
    }
  }
  for (const ValueId id : graph.outputs) {
    Entry& entry = of_[static_cast<size_t>(id)];
    ++entry.count;
    entry.output = true;
  }
}

std::optional<size_t> Uses::producer(ValueId id) const {
  return of_[static_cast<size_t>(id)].producer;
}

std::optional<size_t> Uses::only_consumer(ValueId id) const {
  const Entry& entry = of_[static_cast<size_t>(id)];
  if (entry.count != 1 || entry.consumers.empty()) return std::nullopt;
  return entry.consumers.front();
}

}  // namespace edgetwin
