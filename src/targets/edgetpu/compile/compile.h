// From a network of bytes to a file with programs for the Edge TPU. docs/edgetpu-compiler.md.
#pragma once

#include "base/result.h"
#include "targets/edgetpu/compile/package/package.h"

namespace edgetwin::edgetpu::compiler {

// Where an operator is computed.
struct Assignment {
  size_t op = 0;
  int group = -1;                  // of operators on the chip; -1: on the host
  std::optional<Refusal> refusal;  // why on the host
};

struct CompiledGroup {
  Segment segment;
  CompiledSegment compiled;
  darwinn::Package package;
  // Groups of one set share the memory of parameters: none is loaded again for another one.
  size_t set = 0;
  // The program is that of a single layer whose bytes were held against the vendor's compiler's.
  bool vendor_equal = false;
};
struct Partition {
  std::vector<CompiledGroup> groups;
  std::vector<Assignment> ops;  // one for each operator of the graph
  std::vector<size_t> order;    // of the operators in the file that is made
};
// Decides by making the programs, so that what it says is what `compile` does.
Partition partition_of(const Graph& graph, Style style = Style::own);

// Whether it has the vendor's style in any case: one convolution whose program was compared.
bool has_vendor_style(const Graph& graph);

struct CompiledModel {
  Partition partition;
  Model model;
};
// The version goes into the packages; the programs are the same for each. Errors: darwinn_*.
Result<CompiledModel> compile_model(const Model& source,
                                    int32_t min_runtime_version = darwinn::kCurrentRuntimeVersion,
                                    Style style = Style::own);
// Several networks whose parameters rest beside each other as far as they fit, in this order.
Result<std::vector<CompiledModel>> compile_models(
    const std::vector<const Model*>& sources,
    int32_t min_runtime_version = darwinn::kCurrentRuntimeVersion);

}  // namespace edgetwin::edgetpu::compiler
