// What preparing an operator needs again and again: choosing a rule by element types, the geometry
// of windows, normal forms of axes.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "numerics/rules.h"
#include "ops/core/kernel.h"
#include "tensor/window.h"

namespace edgetwin::ops {

numerics::RealRange real_range(Activation activation);

// Errors: op_attribute for activations that no operator fuses (tanh, sign_bit).
Status check_activation(const OpContext& c, Activation activation);

struct WindowAttrs {
  Padding padding;
  int stride_h, stride_w, dilation_h, dilation_w, kernel_h, kernel_w;
};

// Sizes of section 1.7: SAME, VALID or given padding. `out_c` is left 0. Errors: op_shape,
// op_attribute.
[[gnu::cold]] Result<Window2D> window_geometry(const OpContext& c, const Shape& in,
                                               const WindowAttrs& a);

// NxWxC, as one-dimensional operators of ESP-DL have it, seen as Nx1xWxC; other shapes as they are.
inline Shape with_height(const Shape& in) {
  return in.rank() == 3 ? Shape{in[0], 1, in[1], in[2]} : in;
}
// The way back for the result of an operator on `in`.
inline Shape like_input(const Shape& nhwc, const Shape& in) {
  return in.rank() == 3 ? Shape{nhwc[0], nhwc[2], nhwc[3]} : nhwc;
}

// The output shape NHWC of a window.
inline Shape window_shape(const Window2D& w) { return {w.batch, w.out_h, w.out_w, w.out_c}; }

// -1 means the last axis. Error: op_attribute outside [-rank, rank).
[[gnu::cold]] Result<int> normal_axis(const OpContext& c, int64_t axis, int rank);

// Errors op_type unless all named operands have the type.
Status need_same_type(const OpContext& c, std::initializer_list<DType> types);

// Calls fn.template operator()<Rule>() for the first rule of the list that `matches` accepts.
template <class... Rules, class Matches, class Fn>
[[gnu::cold]] Result<Prepared> with_rule(const OpContext& c, numerics::RuleList<Rules...>,
                                         const Matches& matches, const Fn& fn) {
  std::optional<Result<Prepared>> result;
  const auto attempt = [&]<class Rule>() {
    if (!result && matches.template operator()<Rule>())
      result.emplace(fn.template operator()<Rule>());
  };
  (attempt.template operator()<Rules>(), ...);
  if (!result) return c.unsupported_types();
  return std::move(*result);
}

// A rule made from its spec, its error placed at the operator.
template <class Rule, class Spec>
[[gnu::cold]] Result<Rule> make_rule(const OpContext& c, const Spec& spec) {
  Result<Rule> rule = Rule::make(spec);
  if (!rule.ok()) return std::move(rule).error().in_layer(c.label());
  return rule;
}

// Calls fn(T{}) with an unsigned type as wide as an element: for operators that only move bytes.
template <class Fn>
[[gnu::cold]] Result<Prepared> with_element_size(const OpContext& c, DType type, const Fn& fn) {
  switch (byte_size(type)) {
    case 1:
      return fn(uint8_t{});
    case 2:
      return fn(uint16_t{});
    case 4:
      return fn(uint32_t{});
    case 8:
      return fn(uint64_t{});
    default:
      return c.unsupported_types();
  }
}

// A rough number of operations below which a second thread costs more than it brings.
inline constexpr int64_t kGrainOperations = 20000;

inline int64_t grain_for(int64_t operations_per_item) {
  return std::max<int64_t>(1, kGrainOperations / std::max<int64_t>(1, operations_per_item));
}

}  // namespace edgetwin::ops
