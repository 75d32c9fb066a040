// A decompiled network against the model that it was compiled from.
#pragma once

#include <string>
#include <vector>

#include "targets/edgetpu/decompile/compare/program_numbers.h"

namespace edgetwin::edgetpu {

struct LayerMatch {
  std::string source;                    // operator of the uncompiled model
  std::string decompiled;                // empty: none was found
  std::vector<std::string> differences;  // "kernel 3 x 3, not 1 x 1"
  // A layer with weights whose window, sizes and producers are the source's: what differs are
  // numbers that stand in the program.
  bool only_numbers = false;
  bool exact() const { return !decompiled.empty() && differences.empty(); }
};

struct NetworkComparison {
  std::vector<LayerMatch> layers;  // of the uncompiled model, in its order
  std::vector<std::string> extra;  // decompiled layers that are nobody's
  size_t exact() const;
  bool all_found() const;  // every layer has its own, and none is left
};

// Layers are found by their weights, others by what they read. `numbers`: what the program's
// instructions have for operators of `decompiled`, instead of what their scales make.
NetworkComparison compare_networks(const Graph& decompiled, const Graph& source,
                                   const NumbersByOp& numbers = {});

}  // namespace edgetwin::edgetpu
