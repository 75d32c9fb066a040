// Where a fast kernel may stand in for the walk of QUANTIZE, and of QuantizeLinear and
// RequantizeLinear of ESP-DL.
#pragma once

#include <limits>

#include "kernels/core/affine_table.h"
#include "kernels/core/power_table.h"
#include "numerics/espdl/functions.h"
#include "numerics/tflite/functions.h"
#include "numerics/tflite/requantize.h"
#include "ops/core/kernel.h"

namespace edgetwin::ops {

// Fills run and path of `prepared` and returns true if a kernel takes the operator.
bool make_fast_power_change(const KernelOptions& options, const kernels::PowerChange& change,
                            int64_t elements, Prepared& prepared);

template <class From, class To, class Unit>
bool make_fast_unary(const KernelOptions& options,
                     const numerics::espdl::Requantize<From, To, Unit>& rule, int64_t elements,
                     Prepared& prepared) {
  constexpr int kMostShift = 15;
  // Of bytes to bytes a table of all results is faster.
  constexpr bool bytes = sizeof(From) == 1 && sizeof(To) == 1;
  if (bytes || rule.broken || rule.shift > kMostShift || rule.shift < -kMostShift) return false;
  return make_fast_power_change(options,
                                {.in_bytes = sizeof(From),
                                 .out_bytes = sizeof(To),
                                 .half_even = Unit::kRounding == numerics::Rounding::half_even,
                                 .shift = rule.shift},
                                elements, prepared);
}

template <class T, class Unit>
bool make_fast_unary(const KernelOptions& options,
                     const numerics::espdl::QuantizeFloat<T, Unit>& rule, int64_t elements,
                     Prepared& prepared) {
  return make_fast_power_change(options,
                                {.in_bytes = sizeof(float),
                                 .out_bytes = sizeof(T),
                                 .half_even = Unit::kRounding == numerics::Rounding::half_even,
                                 .factor = rule.rescale},
                                elements, prepared);
}

// The same between real numbers and integers with a zero point.
bool make_fast_affine_quantize(const KernelOptions& options, const kernels::AffineChange& change,
                               int64_t elements, Prepared& prepared);

template <class T>
inline constexpr kernels::AffineType kAffineType = sizeof(T) == 2 ? kernels::AffineType::int16
                                                   : std::is_signed_v<T>
                                                       ? kernels::AffineType::int8
                                                       : kernels::AffineType::uint8;

template <class T>
bool make_fast_unary(const KernelOptions& options, const numerics::tflite::QuantizeFloat<T>& rule,
                     int64_t elements, Prepared& prepared) {
  using Limits = std::numeric_limits<T>;
  if (rule.zero < Limits::min() || rule.zero > Limits::max()) return false;
  return make_fast_affine_quantize(
      options, {.type = kAffineType<T>, .scale = rule.s, .zero = rule.zero}, elements, prepared);
}

// LOGISTIC and TANH of 16 bits.
bool make_fast_sigmoid16(const KernelOptions& options, numerics::UnaryKind kind,
                         numerics::Input16 input, int64_t elements, Prepared& prepared);

template <numerics::Requantization R>
bool make_fast_unary(const KernelOptions& options, const numerics::tflite::Function16<R>& rule,
                     int64_t elements, Prepared& prepared) {
  return make_fast_sigmoid16(options, rule.kind, rule.input, elements, prepared);
}

// Every other rule runs plain.
template <class Rule>
bool make_fast_unary(const KernelOptions&, const Rule&, int64_t, Prepared&) {
  return false;
}

}  // namespace edgetwin::ops
