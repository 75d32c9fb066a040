// Elements of ESP-DL as loops without branches, for the compiler to make vectors of. Included once
// per instruction set.
#pragma once

#include "kernels/core/no_dependence.h"
#include "kernels/core/power_table.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

template <class T>
inline constexpr int32_t kLowest = sizeof(T) == 1 ? -128 : -32768;
template <class T>
inline constexpr int32_t kHighest = sizeof(T) == 1 ? 127 : 32767;

template <class T>
[[gnu::always_inline]] inline T saturated(int32_t x) {
  const int32_t least = x < kLowest<T> ? kLowest<T> : x;
  return static_cast<T>(least > kHighest<T> ? kHighest<T> : least);
}

// Of |x| <= 2^30. Half to even: half a step less one, and one more where the quotient is odd.
struct Shift {
  int shift;
  int32_t up, odd;  // odd: 1 for half to even

  Shift(int by, bool half_even)
      : shift(by),
        up(by == 0 ? 0 : (int32_t{1} << (by - 1)) - (half_even ? 1 : 0)),
        odd(by > 0 && half_even ? 1 : 0) {}
  [[gnu::always_inline]] int32_t operator()(int32_t x) const {
    return (x + up + ((x >> shift) & odd)) >> shift;
  }
};

// Numbers are limited first: limits are integers, and rounding keeps the order of numbers. What is
// not a number becomes the lowest.
template <class T, bool kHalfEven>
[[gnu::always_inline]] inline T rounded(float x) {
  constexpr auto low = static_cast<float>(kLowest<T>), high = static_cast<float>(kHighest<T>);
  const float least = x > low ? x : low;
  const float limited = least < high ? least : high;
  if constexpr (kHalfEven) {
    constexpr float kUnitSteps = 12582912.0F;  // 1.5 * 2^23: sums have steps of 1
    return static_cast<T>(static_cast<int32_t>((limited + kUnitSteps) - kUnitSteps));
  } else {
    const float moved = limited + 0.5F;
    const auto cut = static_cast<int32_t>(moved);
    return static_cast<T>(cut - (static_cast<float>(cut) > moved ? 1 : 0));
  }
}

template <class T, int kStepA, int kStepB, class Rule>
[[gnu::always_inline]] inline void power_walk(const PowerRun& run, const Rule& rule) {
  const T* __restrict a = reinterpret_cast<const T*>(run.a);
  const T* __restrict b = reinterpret_cast<const T*>(run.b);
  T* __restrict out = reinterpret_cast<T*>(run.out);
  const std::ptrdiff_t count = run.count;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = rule(a[i * kStepA], b[i * kStepB]);
}

template <class T, class Rule>
[[gnu::always_inline]] inline void power_steps(const PowerRun& run, const Rule& rule) {
  if (run.step_a == 0 && run.count > 1) return power_walk<T, 0, 1>(run, rule);
  if (run.step_b == 0 && run.count > 1) return power_walk<T, 1, 0>(run, rule);
  power_walk<T, 1, 1>(run, rule);
}

template <class T, bool kHalfEven>
void power_floats(const PowerPairs& p, const PowerRun& run) {
  const float factor = p.factor;
  if (p.form == PowerForm::float_product) {
    return power_steps<T>(
        run, [=](int32_t x, int32_t y) __attribute__((always_inline)) {
          return rounded<T, kHalfEven>(static_cast<float>(x * y) * factor);
        });
  }
  if (p.form == PowerForm::factor_of_a) {
    return power_steps<T>(
        run, [=](int32_t x, int32_t y) __attribute__((always_inline)) {
          return rounded<T, kHalfEven>(static_cast<float>(y) * (static_cast<float>(x) * factor));
        });
  }
  power_steps<T>(
      run, [=](int32_t x, int32_t y) __attribute__((always_inline)) {
        return rounded<T, kHalfEven>(static_cast<float>(x) * (static_cast<float>(y) * factor));
      });
}

template <class T>
void power_pairs_of(const PowerPairs& p, const PowerRun& run) {
  switch (p.form) {
    case PowerForm::sum:
      return power_steps<T>(
          run,
          [](int32_t x, int32_t y) __attribute__((always_inline)) { return saturated<T>(x + y); });
    case PowerForm::difference:
      return power_steps<T>(
          run,
          [](int32_t x, int32_t y) __attribute__((always_inline)) { return saturated<T>(x - y); });
    case PowerForm::shift_product: {
      const Shift shift(p.shift, p.half_even);
      return power_steps<T>(
          run, [=](int32_t x, int32_t y)
                   __attribute__((always_inline)) { return saturated<T>(shift(x * y)); });
    }
    default:
      return p.half_even ? power_floats<T, true>(p, run) : power_floats<T, false>(p, run);
  }
}

inline void power_pairs(const PowerPairs& p, const PowerRun& run) {
  p.element_bytes == 1 ? power_pairs_of<int8_t>(p, run) : power_pairs_of<int16_t>(p, run);
}

template <class From, class To>
void power_change_of(const PowerChange& c, const std::byte* from, std::byte* to,
                     std::ptrdiff_t count) {
  const From* __restrict in = reinterpret_cast<const From*>(from);
  To* __restrict out = reinterpret_cast<To*>(to);
  if (c.shift >= 0) {
    const Shift shift(c.shift, c.half_even);
    EDGETWIN_NO_DEPENDENCE
    for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = saturated<To>(shift(in[i]));
    return;
  }
  const int32_t power = int32_t{1} << -c.shift;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = saturated<To>(in[i] * power);
}

template <class To, bool kHalfEven>
void power_quantize(const PowerChange& c, const std::byte* from, std::byte* to,
                    std::ptrdiff_t count) {
  const float* __restrict in = reinterpret_cast<const float*>(from);
  To* __restrict out = reinterpret_cast<To*>(to);
  const float factor = c.factor;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = rounded<To, kHalfEven>(in[i] * factor);
}

template <class To>
void power_change_to(const PowerChange& c, const std::byte* from, std::byte* to,
                     std::ptrdiff_t count) {
  if (c.in_bytes == 1) return power_change_of<int8_t, To>(c, from, to, count);
  if (c.in_bytes == 2) return power_change_of<int16_t, To>(c, from, to, count);
  if (c.half_even) return power_quantize<To, true>(c, from, to, count);
  power_quantize<To, false>(c, from, to, count);
}

inline void power_change(const PowerChange& c, const std::byte* from, std::byte* to,
                         std::ptrdiff_t count) {
  c.out_bytes == 1 ? power_change_to<int8_t>(c, from, to, count)
                   : power_change_to<int16_t>(c, from, to, count);
}

template <class T>
void power_slopes_of(const PowerSlopes& p, const PowerRun& run) {
  const Shift above(p.shift, p.half_even);
  Shift below(p.slope_shift, p.half_even);
  if (p.slope_floor) below.up = below.odd = 0;
  const int32_t up = p.up;
  power_steps<T>(
      run, [=](int32_t x, int32_t slope) __attribute__((always_inline)) {
        const int32_t positive = above(x * up), negative = below(x * slope);
        return saturated<T>(x > 0 ? positive : negative);
      });
}

inline void power_slopes(const PowerSlopes& p, const PowerRun& run) {
  p.element_bytes == 1 ? power_slopes_of<int8_t>(p, run) : power_slopes_of<int16_t>(p, run);
}

inline constexpr PowerTable kPowerTable = {power_pairs, power_change, power_slopes};

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
