// A network and what is looked up in it again and again.
#pragma once

#include <map>

#include "graph/graph.h"
#include "targets/edgetpu/compile/emit/program.h"
#include "targets/edgetpu/params/reference.h"

namespace edgetwin::edgetpu::compiler {

struct Source {
  explicit Source(const Graph& g, Style how = Style::own);
  const Graph& graph;
  Style style;        // own or vendor
  bool counts_moves;  // vendor_17: it counts words that go from one split to another
  std::map<size_t, ReferenceLayer> layers;  // by operator
};

}  // namespace edgetwin::edgetpu::compiler
