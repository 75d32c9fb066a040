// Operators whose result has an element for each element, or each pair of elements, of the
// operands.
#pragma once

#include "ops/core/kernel.h"

namespace edgetwin::ops {

template <class F>
[[gnu::cold]] Result<Prepared> prepare_binary(
    const OpContext& c);  // ADD SUB MUL, of ESP-DL DIV POW MOD
template <class F>
[[gnu::cold]] Result<Prepared> prepare_unary(const OpContext& c);  // RELU… LOGISTIC TANH HARD_SWISH
template <class F>
[[gnu::cold]] Result<Prepared> prepare_quantize(const OpContext& c);
template <class F>
Result<Prepared> prepare_assign(
    const OpContext& c);  // of ESP-DL: quantize dequantize requantize identity
template <class F>
[[gnu::cold]] Result<Prepared> prepare_clip(const OpContext& c);
template <class F>
[[gnu::cold]] Result<Prepared> prepare_prelu(const OpContext& c);
template <class F>
[[gnu::cold]] Result<Prepared> prepare_lut(
    const OpContext& c);  // of ESP-DL: by the table that the operator has
[[gnu::cold]] Result<Prepared> prepare_dequantize(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_squared_difference(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_min_max(const OpContext& c);  // MAXIMUM MINIMUM
[[gnu::cold]] Result<Prepared> prepare_div(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_floor_div(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_float_unary(const OpContext& c);  // SQRT RSQRT
[[gnu::cold]] Result<Prepared> prepare_cast(const OpContext& c);
Result<Prepared> prepare_compare(
    const OpContext& c);  // equal greater greater_equal less less_equal

}  // namespace edgetwin::ops
