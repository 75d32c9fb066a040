// Which operator makes each value of a graph, and which operators read it: one index for everything
// that looks along the edges of a network.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace edgetwin {

// Of the graph as it was when the index was made: operators are known by their places in
// Graph::ops, values by their ids.
class Uses {
 public:
  explicit Uses(const Graph& graph);

  // The operator that makes a value; nothing for inputs, constants and variables.
  std::optional<size_t> producer(ValueId id) const;
  // The operators that read it, each once, in running order.
  const std::vector<size_t>& consumers(ValueId id) const {
    return of_[static_cast<size_t>(id)].consumers;
  }
  // Operands that are this value, each counted, and its places among the graph's outputs.
  size_t count(ValueId id) const { return of_[static_cast<size_t>(id)].count; }
  bool is_output(ValueId id) const { return of_[static_cast<size_t>(id)].output; }
  // The operator that alone needs the value, with one operand; nothing where another one needs it
  // too, or where it is an output of the graph.
  std::optional<size_t> only_consumer(ValueId id) const;

 private:
  struct Entry {
    std::optional<size_t> producer;
    std::vector<size_t> consumers;
    size_t count = 0;
    bool output = false;
  };
  std::vector<Entry> of_;  // by value
};

}  // namespace edgetwin
