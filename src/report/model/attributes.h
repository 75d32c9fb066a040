// The options of an operator by name, for tables and JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "report/json.h"

namespace edgetwin::report {

struct Attribute {
  std::string name;
  Json value;
  std::string text;  // as people read it; empty where the value says nothing (a default)
};

std::vector<Attribute> attributes(const Attrs& attrs);

// The same of an operator in its network, with what its weights say: the window of a convolution
// and its groups.
std::vector<Attribute> attributes(const Graph& graph, const Op& op);

// "stride 2x2, same, relu6"; in its network "filter 3x3, stride 2x2, same, relu6"
std::string attributes_text(const Attrs& attrs);
std::string attributes_text(const Graph& graph, const Op& op);
Json attributes_json(const Graph& graph, const Op& op);

}  // namespace edgetwin::report
