// Programs as the vendor's files hold them: executables, packages, a model with custom operators.
#pragma once

#include "graph/graph.h"
#include "targets/edgetpu/compile/plan/segment.h"

namespace edgetwin::edgetpu::compiler {

darwinn::Package package_of(const Graph& graph, const CompiledSegment& segment);
// Programs whose parameters rest beside each other get one token: the driver keeps all of them.
void share_token(const std::vector<darwinn::Package*>& packages);

// Of the payload, as the vendor's compilers number the chip: the newest one, and the one before it.
inline constexpr int64_t kNewestChip = 18, kChipBefore = 17;

// Operators of the graph that one custom operator takes the place of.
struct Replacement {
  Segment segment;
  darwinn::Package package;
  int64_t chip = kNewestChip;
};
// The model with the custom operators, in an order in which those of a replacement stand in a row;
// constants that nobody needs are left out. Errors: darwinn_*.
Result<Model> model_of(const Model& source, const std::vector<size_t>& order,
                       const std::vector<Replacement>& replacements);

}  // namespace edgetwin::edgetpu::compiler
