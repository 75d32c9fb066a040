#include "targets/edgetpu/compile/layout/branches.h"

#include <algorithm>
#include <set>
#include <utility>

#include "targets/edgetpu/compile/judge/values.h"

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

bool reads(const Op& op, ValueId id) { return std::ranges::find(op.inputs, id) != op.inputs.end(); }

// The places that take `id` or what QUANTIZE makes of it; of these operators, too.
std::vector<size_t> readers(const Graph& g, const std::vector<size_t>& ops, ValueId id) {
  std::vector<size_t> all;
  for (size_t n = 0; n < ops.size(); ++n) {
    const Op& op = g.ops[ops[n]];
    if (!reads(op, id)) continue;
    all.push_back(n);
    if (op.kind != OpKind::quantize) continue;
    const auto more = readers(g, ops, op.outputs[0]);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

// Only QUANTIZE of what stands here takes its result: it leaves the chip at once.
bool leaves(const Graph& g, const std::vector<size_t>& ops, size_t n) {
  const auto all = readers(g, ops, g.ops[ops[n]].outputs[0]);
  return std::ranges::all_of(all, [&](size_t k) { return g.ops[ops[k]].kind == OpKind::quantize; });
}

// An operator whose result others need stands at the place of the last convolution that reads the
// same tensor and leaves nothing on the chip. Places, and which come after others there.
std::vector<std::pair<size_t, bool>> turns_of(const Graph& g, const std::vector<size_t>& ops) {
  std::vector<std::pair<size_t, bool>> turns;
  for (size_t n = 0; n < ops.size(); ++n) {
    turns.emplace_back(n, false);
    const Op& op = g.ops[ops[n]];
    if (op.inputs.empty()) continue;
    for (size_t k = n + 1; k < ops.size(); ++k) {
      const Op& other = g.ops[ops[k]];
      if (other.kind != OpKind::conv_2d || other.inputs[0] != op.inputs[0]) continue;
      if (leaves(g, ops, n) || !leaves(g, ops, k)) continue;
      const auto after = readers(g, ops, other.outputs[0]);
      turns.back() = {after.empty() ? k : *std::ranges::max_element(after), true};
    }
  }
  return turns;
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

std::vector<size_t> leaving_first(const Graph& g, const std::vector<size_t>& ops) {
  const auto turns = turns_of(g, ops);
  if (std::ranges::none_of(turns, [](const auto& t) { return t.second; })) return ops;
  std::set<ValueId> missing;  // what is not made yet
  for (const size_t k : ops) missing.insert(g.ops[k].outputs.begin(), g.ops[k].outputs.end());
  std::set<std::pair<std::pair<size_t, bool>, size_t>> left;
  for (size_t n = 0; n < ops.size(); ++n) left.insert({turns[n], n});
  std::vector<size_t> order;
  while (!left.empty()) {
    const auto ready = std::ranges::find_if(left, [&](const auto& next) {
      return std::ranges::none_of(g.ops[ops[next.second]].inputs,
                                  [&](ValueId id) { return missing.contains(id); });
    });
    if (ready == left.end()) return ops;
    const size_t n = ready->second;
    left.erase(ready);
    order.push_back(ops[n]);
    for (const ValueId id : g.ops[ops[n]].outputs) missing.erase(id);
  }
  return order;
}

std::vector<size_t> after_pools(const Graph& g, std::vector<size_t> ops,
                                const std::function<bool(const Op&)>& leaves) {
  for (size_t n = 0; n < ops.size(); ++n) {
    if (!leaves(g.ops[ops[n]])) continue;
    ValueId made = g.ops[ops[n]].outputs[0];
    size_t end = n + 1;  // of what the pool's result alone makes
    for (size_t k = n + 1; k < ops.size(); ++k) {
      const Op& op = g.ops[ops[k]];
      const auto given = [&](ValueId id) {
        return id == kAbsent || id == made || g.value(id).is_constant();
      };
      if (!reads(op, made) || !std::ranges::all_of(op.inputs, given)) continue;
      const auto at = ops.begin() + static_cast<std::ptrdiff_t>(k);
      std::rotate(ops.begin() + static_cast<std::ptrdiff_t>(end), at, at + 1);
      made = op.outputs[0];
      ++end;
    }
  }
  return ops;
}

namespace {

const Op* maker(const Graph& g, const std::vector<size_t>& ops, ValueId id) {
  const auto made = std::ranges::find_if(ops, [&](size_t k) { return g.ops[k].outputs[0] == id; });
  return made == ops.end() ? nullptr : &g.ops[*made];
}

// TILE makes it, or QUANTIZE of what TILE makes.
bool repeats(const Graph& g, const std::vector<size_t>& ops, ValueId id) {
  const Op* op = maker(g, ops, id);
  if (op != nullptr && op->kind == OpKind::quantize) op = maker(g, ops, op->inputs[0]);
  return op != nullptr && op->kind == OpKind::tile;
}

}  // namespace

std::vector<JoinedPart> joined_parts(const Graph& g, const std::vector<size_t>& ops) {
  std::vector<JoinedPart> all;
  const auto made_here = [&](ValueId id) {
    const Op* op = maker(g, ops, id);
    return op != nullptr && (op->kind == OpKind::conv_2d || repeats(g, ops, id));
  };
  const auto taken = [&](ValueId id) {
    ptrdiff_t times = std::ranges::count(g.outputs, id);
    for (const Op& op : g.ops) times += std::ranges::count(op.inputs, id);
    return times;
  };
  for (const size_t k : ops) {
    const Op& op = g.ops[k];
    if (op.kind != OpKind::concatenation) continue;
    const auto& a = op.as<ConcatAttrs>();
    const Value& whole = g.value(op.outputs[0]);
    const bool last = a.axis == -1 || a.axis == whole.shape.rank() - 1;
    int64_t first = 0;
    std::vector<JoinedPart> parts;
    for (const ValueId id : op.inputs) {
      const Value& part = g.value(id);
      if (first % 4 != 0) {
        parts.clear();
        break;
      }
      if (last && a.activation == Activation::none && made_here(id) && taken(id) == 1 &&
          same_numbers(part, whole)) {
        parts.push_back({id, op.outputs[0], first, repeats(g, ops, id)});
      }
      first += part.shape[part.shape.rank() - 1];
    }
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return all;
}

}  // namespace edgetwin::edgetpu::compiler
