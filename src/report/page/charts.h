// Pictures of a page as SVG and HTML text. Colours come from the page's style sheet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exec/session.h"
#include "graph/graph.h"
#include "report/tensor_stats.h"
#include "verify/compare.h"

namespace edgetwin::report {

// Tensors of the arena as rectangles: steps from left to right, offsets from bottom to top.
std::string memory_chart(const Graph& graph, const exec::MemoryPlan& plan, size_t steps);

// A small histogram without axes.
std::string histogram_chart(const TensorStats& stats);

// Differences by size; counts on a logarithmic scale.
std::string difference_chart(const verify::TensorDiff& diff);

struct Bar {
  std::string label;
  std::string text;   // right of the bar
  std::string title;  // shown when pointed at
  double value = 0.0;
};
std::string bar_chart(const std::vector<Bar>& bars);

}  // namespace edgetwin::report
