// Pooling and reductions. Source: specification of the runtime, operators 5 and 8.
#pragma once

#include <array>

#include "numerics/espdl/common.h"
#include "numerics/plain/float_reduce.h"

namespace edgetwin::numerics::espdl {

// A Newton iteration that stops at an absolute change of 1e-5: for tiny numbers it is far off, and
// that is the result.
inline float newton_sqrt(float x) {
  if (x == 0.0F) return 0.0F;
  float y = x;
  for (int i = 0; i < 1000; ++i) {
    const float next = (y + x / y) / 2.0F;
    if (!(std::abs(next - y) > 1e-5F)) return next;
    y = next;
  }
  return y;
}

// Average: always divided by the whole window, taps in the padding counted.
template <class T, class Unit>
struct Pool {
  using Element = T;
  using Acc = int32_t;
  PoolKind kind{};
  float factor = 1.0F;

  static Result<Pool> make(const PoolSpec& spec) {
    Pool rule;
    rule.kind = spec.kind;
    if (spec.kind == PoolKind::max) return rule;
    EDGETWIN_TRY(check_exponent(spec.in, "the input"));
    EDGETWIN_TRY(check_exponent(spec.out, "the output"));
    rule.factor = scale(exponent(spec.in)) * (1.0F / static_cast<float>(spec.area)) *
                  scale(-exponent(spec.out));
    return rule;
  }
  Acc start() const { return kind == PoolKind::max ? std::numeric_limits<T>::min() : 0; }
  Acc take(Acc acc, T x) const {
    if (kind == PoolKind::max) return x > acc ? x : acc;
    return wrapping_add(acc, x);
  }
  T finish(Acc acc, int) const {
    if (kind == PoolKind::max) return static_cast<T>(acc);
    return round_to<T, Unit>(static_cast<float>(acc) * factor);
  }
};

template <class T, class Unit>
struct Reduce {
  using Element = T;
  struct Acc {
    int64_t integer = 0;
    float real = 0.0F;
    double product = 1.0;
  };
  ReduceKind kind{};
  int shift = 0;
  int64_t count = 1;
  float scale_in = 1.0F, rescale_out = 1.0F, square_scale = 1.0F;

  static Result<Reduce> make(const ReduceSpec& spec) {
    EDGETWIN_TRY(check_exponent(spec.in, "the input"));
    EDGETWIN_TRY(check_exponent(spec.out, "the output"));
    Reduce rule;
    rule.kind = spec.kind;
    rule.count = spec.count;
    const int e = exponent(spec.in);
    rule.shift = exponent(spec.out) - (spec.kind == ReduceKind::sum_square ? 2 * e : e);
    rule.scale_in = scale(e);
    rule.rescale_out = scale(-exponent(spec.out));
    rule.square_scale = scale(2 * e);
    if (spec.kind == ReduceKind::l2 && std::abs(2 * e) > kMaxExponent && !spec.allow_undefined) {
      return Error(ErrorCode::op_undefined, "the runtime cannot form the square of the scale")
          .detail("2 * e(in) = " + std::to_string(2 * e) + " is a shift of a 32-bit integer");
    }
    return rule;
  }

  Acc start() const {
    Acc acc;
    if (kind == ReduceKind::max) acc.integer = std::numeric_limits<T>::min();
    if (kind == ReduceKind::min) acc.integer = std::numeric_limits<T>::max();
    if (kind == ReduceKind::prod) acc.real = 1.0F;
    return acc;
  }

  Acc take(Acc acc, T x) const {
    switch (kind) {
      case ReduceKind::max:
        acc.integer = std::max<int64_t>(acc.integer, x);
        break;
      case ReduceKind::min:
        acc.integer = std::min<int64_t>(acc.integer, x);
        break;
      case ReduceKind::l1:
        acc.integer += std::abs(int32_t{x});
        break;
      case ReduceKind::l2:
      case ReduceKind::sum_square:
        acc.integer += int64_t{x} * x;
        break;
      case ReduceKind::prod:
        acc.real *= static_cast<float>(x) * scale_in;
        acc.product *= static_cast<double>(static_cast<float>(x) * scale_in);
        break;
      case ReduceKind::log_sum_exp:
        acc.real += std::exp(static_cast<float>(x) * scale_in);
        break;
      default:
        acc.integer += x;
        break;
    }
    return acc;
  }

  T finish(Acc acc) const {
    // int8 sums are 32 bits wide in the runtime.
    const int64_t sum = sizeof(T) == 1 ? static_cast<int32_t>(acc.integer) : acc.integer;
    const auto real = static_cast<float>(sum);
    switch (kind) {
      case ReduceKind::max:
      case ReduceKind::min:
        return static_cast<T>(sum);
      case ReduceKind::mean:
        return round_to<T, Unit>(real * scale_in / static_cast<float>(count) * rescale_out);
      case ReduceKind::l2:
        return round_to<T, Unit>(newton_sqrt(real * square_scale) * rescale_out);
      case ReduceKind::prod:
        if constexpr (sizeof(T) == 1) return round_to<T, Unit>(acc.real * rescale_out);
        return round_double_to<T, Unit>(acc.product * static_cast<double>(rescale_out));
      case ReduceKind::log_sum:
        return round_to<T, Unit>(std::log(real * scale_in) * rescale_out);
      case ReduceKind::log_sum_exp:
        return round_to<T, Unit>(std::log(acc.real) * rescale_out);
      default:
        return shifted(sum);
    }
  }

 private:
  // Section 8: a left shift is clamped to the accumulator's type before it is narrowed.
  T shifted(int64_t sum) const { return saturate<T>(shift_round<Unit>(sum, shift)); }
};

struct ReduceF32 {
  using Element = float;
  using Acc = float;
  ReduceKind kind{};
  int64_t count = 1;
  static Result<ReduceF32> make(const ReduceSpec& spec) { return ReduceF32{spec.kind, spec.count}; }
  Acc start() const { return float32::reduce_start(kind); }
  Acc take(Acc acc, float x) const { return float32::reduce_take(kind, acc, x); }
  float finish(Acc acc) const {
    switch (kind) {
      case ReduceKind::mean:
        return acc / static_cast<float>(count);
      case ReduceKind::l2:
        return newton_sqrt(acc);
      case ReduceKind::log_sum:
      case ReduceKind::log_sum_exp:
        return std::log(acc);
      default:
        return acc;
    }
  }
};

}  // namespace edgetwin::numerics::espdl
