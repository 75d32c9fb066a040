// The order of a network's operators.
#pragma once

#include <functional>
#include <vector>

#include "graph/graph.h"

namespace edgetwin::edgetpu::compiler {

// The operators in another order, as the vendor's compiler has them: a convolution that reads what
// a block of three layers reads, too, comes after the block where that ends in a smaller tensor.
std::vector<size_t> later_branches(const Graph& graph, std::vector<size_t> ops);
// An operator whose result others need comes after convolutions that read the same tensor and whose
// results leave the chip.
std::vector<size_t> leaving_first(const Graph& graph, const std::vector<size_t>& ops);

// RESHAPEs to lists that are joined, the joins and what comes after these stand where they can be
// done first; those of two convolutions in a row that read the same tensor in reverse order, after
// both.
std::vector<size_t> lists_when_made(const Graph& graph, const std::vector<size_t>& ops);

// Heads that begin with a depthwise convolution of one tensor, one after the other: those first
// whose fullest operator has fewest bytes; of equal ones those that give most. Found on MoveNet
// alone, and on no more than four heads.
std::vector<size_t> heads_by_size(const Graph& graph, const std::vector<size_t>& ops);

// A result of a convolution that nothing but a join of channels takes, which has its numbers: the
// vendor's compiler lets the convolution write to its place in the join.
// What the result of a pool alone makes, one operator after the other, comes next where the pool's
// picture `leaves` the chip: other readers bring it back after that. Found on DeepLab slim.
std::vector<size_t> after_pools(const Graph& graph, std::vector<size_t> ops,
                                const std::function<bool(const Op& pool)>& leaves);

// A result of a convolution or of TILE that nothing but a join of channels takes, which has its
// numbers: the vendor's compiler lets these write to its place in the join.
struct JoinedPart {
  ValueId part = kAbsent, whole = kAbsent;
  int64_t first_channel = 0;
  bool repeated = false;  // of TILE
};
std::vector<JoinedPart> joined_parts(const Graph& graph, const std::vector<size_t>& ops);

}  // namespace edgetwin::edgetpu::compiler
