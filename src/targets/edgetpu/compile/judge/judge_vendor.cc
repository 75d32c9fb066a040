// What the vendor's compiler leaves to the host though there are instructions for it. Source: the
// public files of which the uncompiled network is public, too.
#include <algorithm>
#include <set>

#include "targets/edgetpu/compile/judge/judge.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Pictures of the same size and of twice the size are on the chip, 33 times and 513 / 33 are not.
Answer other_factor(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  if (op.kind != OpKind::resize_bilinear) return std::nullopt;
  const Shape &in = g.value(op.inputs[0]).shape, &out = g.value(op.outputs[0]).shape;
  const auto known = [&](int axis) { return out[axis] == in[axis] || out[axis] == 2 * in[axis]; };
  if (in.rank() != 4 || out.rank() != 4 || (known(1) && known(2))) return std::nullopt;
  return Refusal{Rule::operator_kind, index,
                 "the vendor's compiler has pictures of the same or twice the size on the chip, "
                 "not " +
                     to_string(in) + " to " + to_string(out)};
}

}  // namespace

void leave_as_vendor(const Graph& g, std::vector<Answer>& answers) {
  std::set<ValueId> program, after;  // made by the program; by the host from that
  for (size_t k = 0; k < g.ops.size(); ++k) {
    const Op& op = g.ops[k];
    const auto any = [&](const std::set<ValueId>& of) {
      return std::ranges::any_of(op.inputs, [&](ValueId id) { return of.contains(id); });
    };
    if (!answers[k]) answers[k] = other_factor(g, k);
    if (!answers[k] && any(after)) {
      answers[k] = Refusal{Rule::operator_kind, k,
                           "the vendor's compiler makes one program, and it takes what the host "
                           "makes of that program's results"};
    }
    const bool host = answers[k].has_value();
    if (host && !any(program) && !any(after)) continue;
    (host ? after : program).insert(op.outputs.begin(), op.outputs.end());
  }
}

}  // namespace edgetwin::edgetpu::compiler
