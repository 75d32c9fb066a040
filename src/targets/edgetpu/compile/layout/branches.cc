#include "targets/edgetpu/compile/layout/branches.h"

#include <algorithm>

namespace edgetwin::edgetpu::compiler {
namespace {

// The end of a block of a convolution, a depthwise one and a convolution from place `k` on that
// begins with `from`, with what folds into them between; `k` itself where there is none.
size_t block_end(const Graph& g, const std::vector<size_t>& ops, size_t k, ValueId from) {
  constexpr OpKind kBlock[] = {OpKind::conv_2d, OpKind::depthwise_conv_2d, OpKind::conv_2d};
  size_t layers = 0;
  for (size_t n = k; n < ops.size(); ++n) {
    const Op& op = g.ops[ops[n]];
    if (op.inputs.empty() || op.inputs[0] != from) break;
    from = op.outputs[0];
    if (op.kind == OpKind::pad || op.kind == OpKind::quantize) continue;
    if (op.kind != kBlock[layers]) break;
    if (++layers == std::size(kBlock)) return n + 1;
  }
  return k;
}

}  // namespace

std::vector<size_t> later_branches(const Graph& g, std::vector<size_t> ops) {
  const auto place = [&](size_t n) { return ops.begin() + static_cast<std::ptrdiff_t>(n); };
  for (size_t n = 0; n + 1 < ops.size(); ++n) {
    const Op& op = g.ops[ops[n]];
    if (op.kind != OpKind::conv_2d) continue;
    const size_t end = block_end(g, ops, n + 1, op.inputs[0]);
    if (end == n + 1) continue;
    const auto bytes = [&](size_t k) { return g.value(g.ops[ops[k]].outputs[0]).shape.elements(); };
    if (bytes(end - 1) < bytes(n)) std::rotate(place(n), place(n + 1), place(end));
  }
  return ops;
}

}  // namespace edgetwin::edgetpu::compiler
