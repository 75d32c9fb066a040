#include "train/tune/free_exponents.h"

#include <algorithm>
#include <optional>

namespace edgetwin::train {

std::set<quantize::QuantId> free_exponents(const quantize::Plan& plan, const Chain* part,
                                           const std::function<bool(size_t)>& fixed) {
  using Kind = quantize::OperandQuant::Kind;
  const auto inside = [&](size_t op) {
    return part == nullptr || std::find(part->ops.begin(), part->ops.end(), op) != part->ops.end();
  };
  std::set<quantize::QuantId> bound, deciding;
  for (size_t i = 0; i < plan.quants().size(); ++i) {
    const auto id = static_cast<quantize::QuantId>(i);
    const quantize::OperandQuant& q = plan.quant(id);
    const auto maker = q.value == kAbsent ? std::nullopt : plan.producer(q.value);
    const bool own = q.kind == Kind::activation || q.kind == Kind::parameter;
    const bool before = part != nullptr && q.value == part->input;
    const bool here = inside(q.op) || (maker && inside(*maker));
    if (!own || before || !here || fixed(q.op)) bound.insert(plan.root(id));
    if (plan.root(id) == id && !q.exponent.empty()) deciding.insert(id);
  }
  std::erase_if(deciding, [&](quantize::QuantId id) { return bound.contains(id); });
  return deciding;
}

}  // namespace edgetwin::train
