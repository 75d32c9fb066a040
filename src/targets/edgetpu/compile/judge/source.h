// A network and what is looked up in it again and again.
#pragma once

#include <map>

#include "graph/graph.h"
#include "targets/edgetpu/compile/emit/program.h"
#include "targets/edgetpu/compile/templates/layers.h"
#include "targets/edgetpu/params/reference.h"

namespace edgetwin::edgetpu::compiler {

// So many rows and columns of rectangles.
struct BandCut {
  int64_t rows = 1, columns = 1;
  double steps = 0;
  int64_t bytes = 0;  // of narrow memory
  bool operator==(const BandCut&) const = default;
};

struct Source {
  explicit Source(const Graph& g, Style how = Style::own);
  const Graph& graph;
  Style style;        // own or vendor
  bool counts_moves;  // vendor_17: it counts words that go from one split to another
  std::map<size_t, ReferenceLayer> layers;  // by operator
  // What plans of it ask again and again; not by several threads at a time.
  mutable KnownForms forms;
  mutable std::map<std::vector<int64_t>, std::vector<BandCut>> cuts;  // of layers in rectangles
};

}  // namespace edgetwin::edgetpu::compiler
