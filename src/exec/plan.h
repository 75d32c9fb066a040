// Everything about a run that is decided before it: kernels, shapes, folded constants, memory.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "exec/session.h"

namespace edgetwin::exec {

struct Plan {
  std::shared_ptr<const Graph> graph;
  Options options;
  std::vector<Step> steps;                                            // one per operator
  std::vector<ops::Kernel> kernels;                                   // by step; empty where folded
  std::vector<std::function<void(std::vector<Finding>&)>> after_run;  // by step; often empty
  std::vector<size_t> scratch_bytes;                                  // by step
  std::vector<int64_t> scratch_offsets;                               // by step, in the arena
  std::vector<Shape> shapes;                                          // by value
  std::vector<std::shared_ptr<const Bytes>> constants;                // by value; folded ones too
  MemoryPlan memory;
  std::vector<Finding> findings;
};

// Errors: numerics_unknown, graph_*, op_*, out_of_memory.
Result<Plan> make_plan(std::shared_ptr<const Graph> graph, const Options& options);

}  // namespace edgetwin::exec
