// Where a fast kernel may stand in for the walk of ADD, SUB and MUL: the rule is one that the
// kernels have, and no number leaves 32 bits on the way. New numerics add one overload of
// make_fast_pairs.
#pragma once

#include "kernels/core/pair_table.h"
#include "kernels/core/power_table.h"
#include "numerics/edgetpu/elementwise.h"
#include "numerics/espdl/elementwise.h"
#include "numerics/tflite/elementwise.h"
#include "ops/core/broadcast.h"
#include "ops/core/kernel.h"

namespace edgetwin::ops {

// The integers of a rule of TensorFlow Lite.
struct AffinePairs {
  numerics::BinaryKind kind{};
  DType type{};
  int32_t zero_a = 0, zero_b = 0, zero_out = 0, low = 0, high = 0;
  numerics::QuantizedMultiplier a, b, out;
  int left_shift = 0;
  numerics::Requantization requantization{};
};

// Fills run and path of `prepared` and returns true if a kernel takes the operator.
bool make_fast_affine_pairs(const OpContext& c, const AffinePairs& rule, const BroadcastPlan& plan,
                            Prepared& prepared);

template <class T, numerics::Requantization R>
bool make_fast_pairs(const OpContext& c, const numerics::tflite::Binary<T, R>& rule,
                     const BroadcastPlan& plan, Prepared& prepared) {
  if (rule.pot) return false;
  return make_fast_affine_pairs(c,
                                {.kind = rule.kind,
                                 .type = dtype_of<T>,
                                 .zero_a = rule.zero_a,
                                 .zero_b = rule.zero_b,
                                 .zero_out = rule.zero_out,
                                 .low = rule.range.low,
                                 .high = rule.range.high,
                                 .a = rule.ma,
                                 .b = rule.mb,
                                 .out = rule.mo,
                                 .left_shift = rule.kLeftShift,
                                 .requantization = R},
                                plan, prepared);
}

// The same for the Edge TPU's float product.
bool make_fast_product_pairs(const OpContext& c, kernels::PairConstants constants,
                             const numerics::EdgetpuOptions& options,
                             std::shared_ptr<numerics::EdgetpuOpen> open, const BroadcastPlan& plan,
                             Prepared& prepared);

template <class T>
bool make_fast_pairs(const OpContext& c, const numerics::edgetpu::Binary<T>& rule,
                     const BroadcastPlan& plan, Prepared& prepared) {
  if (sizeof(T) != 1) return false;
  constexpr int32_t kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  kernels::PairConstants k;
  k.form = rule.kind == numerics::BinaryKind::mul ? kernels::PairForm::float_product
                                                  : kernels::PairForm::float_sum;
  k.mask = std::is_unsigned_v<T> ? 255 : -1;
  k.zero_a = rule.zero_a;
  k.zero_b = rule.zero_b;
  k.zero_out = rule.tail.zero - numerics::edgetpu::kToUnsigned<T>;
  k.low = kLow;
  k.high = kHigh;
  k.weight_a = rule.weights.a;
  k.weight_b = rule.weights.b;
  k.number = rule.number;
  k.factor = rule.m;
  k.float_low = rule.tail.clamp.low;
  k.float_high = rule.tail.clamp.high;
  return make_fast_product_pairs(c, k, rule.tail.options, rule.tail.open, plan, prepared);
}

// Fills run and path for numbers whose scales are powers of two.
bool make_fast_power_pairs(const OpContext& c, const kernels::PowerPairs& rule,
                           const BroadcastPlan& plan, Prepared& prepared);

template <class T, class Unit>
bool make_fast_pairs(const OpContext& c, const numerics::espdl::Binary<T, Unit>& rule,
                     const BroadcastPlan& plan, Prepared& prepared) {
  using Form = typename numerics::espdl::Binary<T, Unit>::Form;
  constexpr int kMostShift = 30;
  kernels::PowerPairs k;
  k.element_bytes = sizeof(T);
  k.half_even = Unit::kRounding == numerics::Rounding::half_even;
  k.shift = rule.shift;
  k.factor = rule.factor;
  switch (rule.form) {
    case Form::add:
      k.form = kernels::PowerForm::sum;
      break;
    case Form::sub:
      k.form = kernels::PowerForm::difference;
      break;
    case Form::mul_shift:
      if (rule.shift < 0 || rule.shift > kMostShift) return false;
      k.form = kernels::PowerForm::shift_product;
      break;
    case Form::mul_float:
      k.form = rule.b_stays && !rule.a_stays   ? kernels::PowerForm::factor_of_b
               : rule.a_stays && !rule.b_stays ? kernels::PowerForm::factor_of_a
                                               : kernels::PowerForm::float_product;
      break;
    default:
      return false;
  }
  return make_fast_power_pairs(c, k, plan, prepared);
}

// Every other rule runs plain.
template <class Rule>
bool make_fast_pairs(const OpContext&, const Rule&, const BroadcastPlan&, Prepared&) {
  return false;
}

}  // namespace edgetwin::ops
