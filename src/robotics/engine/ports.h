// What every engine reads off a graph: its inputs and outputs, and the weights that can be
// exchanged.
#pragma once

#include "graph/graph.h"
#include "robotics/engine/engine.h"

namespace edgetwin::robotics {

struct Ports {
  Port input;
  std::vector<Port> outputs;
};

// Of a graph with one input and at least one output, all of uint8 or int8. Error: module_model.
Result<Ports> ports_of(const Graph& graph);

// The operator of the first layer that has weights of int8, and so the tensor that is replaced when
// weights are exchanged; null: there is none.
const Op* first_layer(const Graph& graph);

// Between the chip's bytes and those of int8.
void flip(std::span<std::byte> data);

// Errors: module_closed, module_input.
Status check_run(bool is_open, const Port& input, size_t bytes);

}  // namespace edgetwin::robotics
