// The first operator whose result differs.
#pragma once

#include "compare.hpp"
#include "dl_model_base.hpp"

namespace check {

struct NodeWalk {
  int64_t checked = 0;    // nodes whose result was compared
  int64_t unknown = 0;    // nodes that the chip does not have under their name
  std::string name;       // of the first that differs; empty: none does
  Difference difference;  // of that one
};

// Runs the model again, several times where its tensors do not fit into memory at once.
NodeWalk walk_nodes(dl::Model& model, const Golden& golden);

}  // namespace check
