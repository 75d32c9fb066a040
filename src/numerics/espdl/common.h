// ESP-DL: every tensor is an integer times a power of two, real = q * 2^exponent. What differs
// between its targets is a Unit: how numbers are rounded, and which vector unit computes.
// Source: docs/numerics.md, chapter 3; specification of the runtime, section 4.
#pragma once

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include "numerics/rounding.h"
#include "numerics/rules.h"
#include "numerics/saturate.h"

namespace edgetwin::numerics::espdl {

enum class VectorUnit : uint8_t { none, s3, p4 };

// ESP32, S2, C2 … C6; also what the portable code computes for a file of the ESP32-S3.
struct UnitC {
  static constexpr Rounding kRounding = Rounding::half_up;
  static constexpr VectorUnit kVector = VectorUnit::none;
};
// The portable code for a file of the ESP32-P4.
struct UnitP4Portable {
  static constexpr Rounding kRounding = Rounding::half_even;
  static constexpr VectorUnit kVector = VectorUnit::none;
};
struct UnitS3 {
  static constexpr Rounding kRounding = Rounding::half_up;
  static constexpr VectorUnit kVector = VectorUnit::s3;
};
struct UnitP4 {
  static constexpr Rounding kRounding = Rounding::half_even;
  static constexpr VectorUnit kVector = VectorUnit::p4;
};

// Exponents are shifts of 32-bit integers in the runtime.
inline constexpr int kMaxExponent = 30;

inline int exponent(const Quant& q, size_t channel = 0) {
  return q.exponent.empty() ? 0 : q.exponent[q.exponent.size() > 1 ? channel : 0];
}

inline std::string power(int e) { return "2^" + std::to_string(e); }

// 2^e exactly, for |e| <= 126.
inline float scale(int e) { return std::ldexp(1.0F, e); }

// Errors: op_quant where the runtime could not form 2^e.
inline Status check_exponent(const Quant& q, const char* what) {
  if (q.scheme == Quant::Scheme::affine) {
    return Error(ErrorCode::op_quant, std::string(what) + " has a scale, ESP-DL knows exponents");
  }
  const int e = exponent(q);
  if (std::abs(e) <= kMaxExponent && !q.per_channel()) return Ok{};
  return Error(ErrorCode::op_quant, std::string(what) + " has exponent " + std::to_string(e))
      .detail("the runtime forms " + power(e) + " by shifting a 32-bit integer: at most 30 places");
}

// Float to integer as the target's runtime rounds it, saturated to T. The specification leaves
// the conversion of NaN undefined; it gives the lowest value here.
template <class T, class Unit>
T round_to(float x) {
  constexpr auto low = static_cast<int32_t>(std::numeric_limits<T>::min());
  constexpr auto high = static_cast<int32_t>(std::numeric_limits<T>::max());
  return static_cast<T>(saturate_float(round_float(x, Unit::kRounding), low, high));
}

// The same of a double: half up, or, on the ESP32-P4, the runtime's own half-even routine, which
// takes everything within 1e-6 of a tie for one (section 4.1).
template <class T, class Unit>
T round_double_to(double x) {
  constexpr auto low = static_cast<int32_t>(std::numeric_limits<T>::min());
  constexpr auto high = static_cast<int32_t>(std::numeric_limits<T>::max());
  if constexpr (Unit::kRounding == Rounding::half_even) {
    const double moved = x + (x >= 0 ? 0.5 : -0.5);
    double rounded = std::trunc(moved);
    const bool tie = std::abs(moved - std::nearbyint(moved)) < 1e-6;
    const bool odd = std::fmod(std::nearbyint(moved), 2.0) != 0.0;
    if (tie && odd) rounded = std::nearbyint(moved) - (x >= 0 ? 1.0 : -1.0);
    return static_cast<T>(saturate_float(rounded, low, high));
  } else {
    return static_cast<T>(saturate_float(std::floor(x + 0.5), low, high));
  }
}

// v / 2^shift rounded as the target does; a negative shift multiplies, saturating at 62 bits.
template <class Unit>
constexpr int64_t shift_round(int64_t v, int shift) {
  if (shift >= 0) return rounding_shift(v, shift > 62 ? 62 : shift, Unit::kRounding);
  const int left = -shift;
  if (v == 0) return 0;
  constexpr int64_t limit = (int64_t{1} << 62) - 1;
  if (left >= 62 || v > (limit >> left) || v < -(limit >> left)) return v > 0 ? limit : -limit;
  return v * (int64_t{1} << left);
}

// Channels of the blocks of a vector unit: 16 of 8 bits, 8 of 16 bits.
template <class T>
inline constexpr int kLanes = sizeof(T) == 1 ? 16 : 8;

}  // namespace edgetwin::numerics::espdl
