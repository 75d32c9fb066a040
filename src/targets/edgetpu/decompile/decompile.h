// A compiled Edge TPU model turned back into the network that it computes.
// docs/edgetpu-decompile.md has the way and its limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "graph/graph.h"
#include "targets/edgetpu/decompile/write/decompiled_op.h"

namespace edgetwin::edgetpu {

struct Decompiled {
  Model model;  // without the compiled operators whose layers were all recovered
  // The same with what was recovered of the others in front of them, read by nobody: to be held
  // against a source. Nothing: there are no others.
  std::optional<Model> partial;
  std::vector<DecompiledOp> ops;
  std::vector<Finding> findings;
  bool complete() const;
  const Model& compared() const { return partial ? *partial : model; }
};

// `model` and `file` are the same file, read in both ways. Errors: decompile_program, graph_*.
Result<Decompiled> decompile(const Model& model, const darwinn::File& file,
                             ScaleOptions options = {}, ReplayLimits limits = {});

}  // namespace edgetwin::edgetpu
