// A compiled Edge TPU model turned back into the network that it computes.
// docs/edgetpu-decompile.md has the way and its limits.
#pragma once

#include <string>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "graph/graph.h"
#include "targets/edgetpu/decompile/layers.h"
#include "targets/edgetpu/decompile/scales.h"

namespace edgetwin::edgetpu {

// One compiled operator of the file.
struct DecompiledOp {
  size_t graph = 0;
  size_t op = 0;  // where it stood
  Layers layers;
  Scales scales;
  // By layer: its operator in the new graph; -1: it could not be written.
  std::vector<int> written;
  bool complete() const;
  size_t recovered() const;
};

struct Decompiled {
  Model model;  // without the compiled operators whose layers were all recovered
  std::vector<DecompiledOp> ops;
  std::vector<Finding> findings;
  bool complete() const;
};

// `model` and `file` are the same file, read in both ways. Errors: decompile_program, graph_*.
Result<Decompiled> decompile(const Model& model, const darwinn::File& file,
                             ScaleOptions options = {}, ReplayLimits limits = {});

}  // namespace edgetwin::edgetpu
