// From a scale to a power of two, and from real numbers to integers of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "numerics/rounding.h"
#include "tensor/dtype.h"

namespace edgetwin::quantize {

enum class ScaleRounding : uint8_t {
  ceil,     // the range fits
  nearest,  // ties upward
};

// The exponent of a scale, which is at least 1e-8.
int exponent_of(double scale, ScaleRounding rounding);
// Symmetric: the scale that puts max(|low|, |high|) at the end of 2^bits - 1 steps, rounded up.
int exponent_of_range(float low, float high, int bits,
                      ScaleRounding rounding = ScaleRounding::ceil);

struct IntegerSpec {
  int bits = 8;  // also 20, 40: the range of values, stored in the next larger type
  numerics::Rounding rounding = numerics::Rounding::half_even;
  bool high_precision = false;  // divides and rounds in float64
};
// clamp(round(x / 2^exponent)); the division and the rounding in float32.
int64_t to_integer(float x, int exponent, const IntegerSpec& spec);

// int8, int16, int32 or int64: the type that holds integers of so many bits.
DType storage_type(int bits);
// All of them as bytes of `storage_type`, channel = (index / inner) % exponents.size().
Bytes to_integers(std::span<const float> values, std::span<const int> exponents, int64_t inner,
                  const IntegerSpec& spec);
// integer * 2^exponent of every value, in place.
void fake_quantize(std::span<float> values, std::span<const int> exponents, int64_t inner,
                   const IntegerSpec& spec);

}  // namespace edgetwin::quantize
