// What the rules of the Edge TPU share: the float tail that every integer sum goes through.
//
// The chip counts in unsigned bytes; an int8 value q stands there as q + 128, and so do zero
// points. Differences of the two are the same, so that the rules keep the type of the tensor and
// only the limits are formed from the unsigned zero point. Source: docs/numerics.md, chapter 4.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "numerics/edgetpu_options.h"
#include "numerics/rules.h"
#include "numerics/tflite/common.h"

namespace edgetwin::numerics::edgetpu {

using tflite::need_affine;
using tflite::scale;
using tflite::zero_point;

template <class T>
inline constexpr int32_t kToUnsigned = std::is_unsigned_v<T> ? 0 : 128;

// The multiplier as the compiler forms it: three operations in single precision, in this order.
inline float multiplier(float in, float weight, float out) { return (in * weight) * (1.0F / out); }

// Limits of the scaled sum, relative to the zero point; often no integers.
struct Clamp {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

// `zero_unsigned` is the output's zero point as the chip has it.
inline Clamp clamp_of(RealRange range, float out_scale, int32_t zero_unsigned) {
  const float low = static_cast<float>(0 - zero_unsigned) * out_scale;
  const float high = static_cast<float>(255 - zero_unsigned) * out_scale;
  const float inverse = 1.0F / out_scale;
  return {std::max(low, range.low) * inverse, std::min(high, range.high) * inverse};
}

// float32 of a sum. Up to 2^24 it is exact; beyond, rounding to nearest is assumed.
inline float to_float(int32_t sum, bool truncate) {
  const auto f = static_cast<float>(sum);
  if (!truncate) return f;
  const bool too_far = std::abs(static_cast<double>(f)) > std::abs(static_cast<double>(sum));
  return too_far ? std::nextafter(f, 0.0F) : f;
}

// std::nearbyint, but for the sign of zero: sums with 1.5 * 2^23 have steps of 1, and ties go to
// even ones.
inline float nearest_even(float f) {
  constexpr float kUnitSteps = 12582912.0F, kInside = 4194304.0F;
  if (std::abs(f) < kInside) return (f + kUnitSteps) - kUnitSteps;
  return std::nearbyint(f);
}

// One of the five ways for the last step, and where the zero point enters.
inline int32_t round_to_integer(float f, int32_t zero, const EdgetpuOptions& o) {
  if (o.zero_point_first) {
    return static_cast<int32_t>(round_float(f + static_cast<float>(zero), o.ties));
  }
  const float integer = o.ties == Rounding::half_even ? nearest_even(f) : round_float(f, o.ties);
  return static_cast<int32_t>(integer) + zero;
}

inline bool is_tie(float f) { return std::abs(f - nearest_even(f)) == 0.5F; }

// From an integer sum to a byte: one float product, limits, rounding, zero point. Inside of the
// chip numbers of 16 bits are formed the same way; they are unsigned.
template <class T>
struct Tail {
  Clamp clamp;
  int32_t zero = 0;  // unsigned
  EdgetpuOptions options;
  std::shared_ptr<EdgetpuOpen> open = std::make_shared<EdgetpuOpen>();

  static Tail make(const Quant& out, RealRange range, const EdgetpuOptions& options) {
    const int32_t zero = zero_point(out) + kToUnsigned<T>;
    return Tail{clamp_of(range, scale(out), zero), zero, options};
  }

  T operator()(int64_t sum, float m) const {
    const int32_t acc = in_32_bits(sum);
    const float a = to_float(acc, options.truncate_large);
    const float product = a * m;
    const float f = std::min(std::max(product, clamp.low), clamp.high);
    if (is_tie(f)) EdgetpuOpen::count(open->ties);
    if (static_cast<int64_t>(static_cast<float>(acc)) != acc && f == product) {
      EdgetpuOpen::count(open->large);
    }
    return stored(round_to_integer(f, zero, options));
  }

  // A sum as the chip's accumulators hold it.
  int32_t in_32_bits(int64_t sum) const {
    const auto wrapped = static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(sum)));
    if (wrapped == sum) return wrapped;
    EdgetpuOpen::count(open->overflow);
    return options.saturate ? saturate<int32_t>(sum) : wrapped;
  }

  // The same for a result that is a float already.
  T of_float(float x) const {
    const float f = std::min(std::max(x, clamp.low), clamp.high);
    return stored(round_to_integer(f, zero, options));
  }

 private:
  static T stored(int32_t number) {
    constexpr int32_t kMost = sizeof(T) == 1 ? 255 : 65535;
    return static_cast<T>(std::clamp(number, 0, kMost) - kToUnsigned<T>);
  }
};

inline Status need_finite(float m, const std::string& formula) {
  if (std::isfinite(m) && m >= 0.0F) return Ok{};
  return Error(ErrorCode::op_quant, "the multiplier is no finite number").detail(formula);
}

}  // namespace edgetwin::numerics::edgetpu
