// What a network that is not compiled will be on the chip, told before it is: sizes, memory,
// causes. All of it is asked of the compiler, so that the two cannot disagree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plot/drawing.h"
#include "targets/edgetpu/compile/compile.h"

namespace edgetwin::edgetpu::compiler {

// --- Sizes: sizes.cc

// The graph for a picture of another size; windows of pools over the whole picture grow with it.
// Errors: those of planning, where some operator does not take the new shapes.
Result<Graph> with_picture(const Graph& graph, int64_t rows, int64_t columns);

struct LargestInput {
  int64_t rows = 0, columns = 0;            // of the network as it is
  int64_t most_rows = 0, most_columns = 0;  // 0: none was found down to 8 rows
  std::string limit;  // what is against one row more; empty: nothing up to 4,096
};
// The largest picture in the ratio of the network's own for which nothing stays on the host that is
// on the chip now, or, where memory keeps something from it now, for which memory does not. By
// bisection. Nothing: the network does not take one picture.
std::optional<LargestInput> largest_input(const Graph& graph, const Partition& partition);

// --- Causes: causes.cc

// What a reason costs an inference, in an estimate that is for ranking only.
struct Cause {
  Rule rule = Rule::operator_kind;
  std::vector<size_t> ops;  // that stay on the host for it, of one kind
  int64_t products = 0;     // that the host computes
  int64_t elements = 0;     // that it writes
  int64_t transferred = 0;  // bytes that go back and forth because the chip's part ends here
  size_t groups = 0;        // parts that begin anew behind it
  double microseconds = 0;
};
// The costliest first. By rule and kind of operator.
std::vector<Cause> causes_of(const Graph& graph, const Partition& partition);

// --- Memory: picture.cc

struct MemoryBar {
  std::string label;
  int64_t result = 0, live = 0;  // bytes in the tile that has most
};
// Bars with the limit of a tile as a line; `wide`: per group.
plot::Drawing memory_picture(const std::vector<MemoryBar>& bars);

}  // namespace edgetwin::edgetpu::compiler
