// What the rules of the numerics of TensorFlow Lite share. Source: kernel
// specification 1.1, 1.5, 1.6 (docs/numerics.md, chapter 1).
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "numerics/fixed_point.h"
#include "numerics/rules.h"

namespace edgetwin::numerics::tflite {

inline float scale(const Quant& q, size_t channel = 0) { return q.scale_of(channel); }
inline int32_t zero_point(const Quant& q, size_t channel = 0) {
  return static_cast<int32_t>(q.zero_point_of(channel));
}

// Integers of a clamp.
struct Range {
  int32_t low;
  int32_t high;
};

// Section 1.6: Q(v) = zero_point + int32(round(f32(v / scale))), halves away from zero.
template <class T>
Range activation_range(RealRange real, const Quant& out) {
  const int64_t low = std::numeric_limits<T>::min();
  const int64_t high = std::numeric_limits<T>::max();
  const auto quantized = [&out](float v) {
    const float steps = std::round(v / scale(out));
    return int64_t{zero_point(out)} + saturate_float(steps, INT32_MIN, INT32_MAX);
  };
  Range r{static_cast<int32_t>(low), static_cast<int32_t>(high)};
  if (std::isfinite(real.low))
    r.low = static_cast<int32_t>(std::clamp(quantized(real.low), low, high));
  if (std::isfinite(real.high))
    r.high = static_cast<int32_t>(std::clamp(quantized(real.high), low, high));
  r.high = std::max(r.high, r.low);
  return r;
}

template <class T>
T clamp_to(int64_t v, Range range) {
  return static_cast<T>(std::clamp<int64_t>(v, range.low, range.high));
}

template <class T>
inline constexpr Range kFullRange = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};

// Both operands must have an affine quantization per tensor.
inline Status need_affine(const Quant& q, const char* which) {
  if (q.scheme == Quant::Scheme::affine && !q.scale.empty()) return Ok{};
  return Error(ErrorCode::op_quant, std::string(which) + " has no scale and zero point");
}

inline std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", v);
  return text;
}

// A multiplier that the fixed-point form can carry: |shift| must stay in the range where the
// reference kernels are defined. `formula()` is the calculation in words, asked for only where it
// fails: layers have thousands of multipliers.
template <class Formula>
requires std::invocable<const Formula&> Result<QuantizedMultiplier> checked_multiplier(
    double m, Requantization r, const Formula& formula) {
  const QuantizedMultiplier q = quantize_multiplier(m, r);
  if (std::isfinite(m) && m >= 0.0 && q.shift <= 30) return q;
  return Error(ErrorCode::op_quant, "the multiplier " + number(m) + " is outside 0 .. 2^30")
      .detail(std::string(formula()) + " = " + number(m));
}
inline Result<QuantizedMultiplier> checked_multiplier(double m, Requantization r,
                                                      const char* formula) {
  return checked_multiplier(m, r, [formula] { return formula; });
}

// The same for operators whose multiplier must be below one (section 1.2).
inline Result<QuantizedMultiplier> multiplier_below_one(double m, Requantization r,
                                                        const std::string& formula) {
  if (m > 0.0 && m < 1.0) {
    const QuantizedMultiplier q = quantize_multiplier(m, r);
    if (q.shift <= 0) return q;
  }
  return Error(ErrorCode::op_quant, "the multiplier " + number(m) + " must be between 0 and 1")
      .detail(formula + " = " + number(m));
}

}  // namespace edgetwin::numerics::tflite
