// The tensors of a document that are no parameters, in the order of the runtime: first appearance
// when nodes are walked, inputs before outputs. Source: specification of estimates 2.3.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/espdl/document/document.h"

namespace edgetwin::estimates {

struct Variable {
  std::string name;
  int64_t bytes = 0, elements = 0;
  int element_bytes = 1;
  std::vector<int64_t> shape;
  bool graph_output = false;
  int begin = 0;  // step; of inputs of the network 0
};

struct NodeUse {
  std::vector<int> inputs, outputs;  // numbers of variables; parameters and absent ones left out
};

struct Variables {
  std::vector<Variable> all;
  std::vector<NodeUse> nodes;  // as many as the document has
};

// Error: espdl_value where a tensor has no size.
Result<Variables> variables_of(const espdl::Document& document);

}  // namespace edgetwin::estimates
