#include "targets/edgetpu/compile/layout/reshapes.h"

#include <algorithm>
#include <optional>

#include "targets/edgetpu/compile/judge/values.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// The operators that take `id`, and once more where it is a result of the network.
size_t takers(const Graph& g, ValueId id) {
  auto n = static_cast<size_t>(std::ranges::count(g.outputs, id));
  for (const Op& op : g.ops) n += static_cast<size_t>(std::ranges::count(op.inputs, id));
  return n;
}

// Which operand of a sum or product is a constant of several numbers, one for each element.
std::optional<size_t> constant_operand(const Graph& g, const Op& op) {
  const bool pair = op.kind == OpKind::add || op.kind == OpKind::sub || op.kind == OpKind::mul;
  if (!pair || op.inputs.size() != 2) return std::nullopt;
  for (const size_t k : {size_t{0}, size_t{1}}) {
    const Value &constant = g.value(op.inputs[k]), &other = g.value(op.inputs[1 - k]);
    const bool each = takes_constant(g, op, k) && !other.is_constant() &&
                      same_elements(constant, other) && takers(g, op.inputs[k]) == 1;
    if (each && constant.shape.elements() == other.shape.elements()) return k;
  }
  return std::nullopt;
}

}  // namespace

// Source: MoveNet, whose centres are multiplied as a list.
std::vector<std::pair<size_t, size_t>> reshapes_first(Graph& g) {
  std::vector<std::pair<size_t, size_t>> moved;
  for (size_t k = 0; k < g.ops.size(); ++k) {
    const auto constant = constant_operand(g, g.ops[k]);
    if (!constant) continue;
    const ValueId made = g.ops[k].outputs[0], in = g.ops[k].inputs[1 - *constant];
    const auto next = std::ranges::find_if(g.ops, [&](const Op& op) {
      return only_reshapes(op) && op.inputs[0] == made && changes_nothing(g, op);
    });
    if (next == g.ops.end() || takers(g, made) != 1) continue;
    const ValueId result = next->outputs[0];
    std::swap(g.ops[k], *next);
    Op &reshape = g.ops[k], &pair = *next;
    reshape.inputs[0] = in, reshape.outputs[0] = made;
    pair.inputs[1 - *constant] = made, pair.outputs[0] = result;
    Value &between = g.values[static_cast<size_t>(made)], &from = g.values[static_cast<size_t>(in)];
    between.shape = g.value(result).shape;
    between.dtype = from.dtype, between.quant = from.quant;
    g.values[static_cast<size_t>(pair.inputs[*constant])].shape = between.shape;
    moved.emplace_back(k, static_cast<size_t>(next - g.ops.begin()));
  }
  return moved;
}

}  // namespace edgetwin::edgetpu::compiler
