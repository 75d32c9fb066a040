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

// "stride 2x2, same, relu6"
std::string attributes_text(const Attrs& attrs);
Json attributes_json(const Attrs& attrs);

}  // namespace edgetwin::report
