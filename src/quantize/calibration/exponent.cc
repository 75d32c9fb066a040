#include "quantize/calibration/exponent.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace edgetwin::quantize {
namespace {

constexpr double kLowestScale = 1e-8;

template <class T>
void put(Bytes& bytes, size_t index, int64_t value) {
  const auto narrow = static_cast<T>(value);
  std::memcpy(bytes.data() + index * sizeof narrow, &narrow, sizeof narrow);
}

template <class Float>
int64_t rounded(Float x, int exponent, int bits, numerics::Rounding rounding) {
  const Float scaled = std::ldexp(x, -exponent);
  const Float limit = std::ldexp(Float{1}, bits - 1);
  const Float r = numerics::round_float(scaled, rounding);
  if (std::isnan(r)) return 0;
  // Biases of plain C have all 64 bits.
  const int64_t most = std::numeric_limits<int64_t>::max() >> (64 - bits);
  if (r >= limit) return most;
  if (r < -limit) return -most - 1;
  return static_cast<int64_t>(r);
}

}  // namespace

int exponent_of(double scale, ScaleRounding rounding) {
  const double log = std::log2(std::max(scale, kLowestScale));
  return static_cast<int>(rounding == ScaleRounding::ceil ? std::ceil(log) : std::floor(log + 0.5));
}

int exponent_of_range(float low, float high, int bits, ScaleRounding rounding) {
  const double end =
      std::max({0.0, std::fabs(static_cast<double>(low)), std::fabs(static_cast<double>(high))});
  const double steps = std::ldexp(1.0, bits) - 1.0;
  return exponent_of(2.0 * end / steps, rounding);
}

int64_t to_integer(float x, int exponent, const IntegerSpec& spec) {
  return spec.high_precision ? rounded(static_cast<double>(x), exponent, spec.bits, spec.rounding)
                             : rounded(x, exponent, spec.bits, spec.rounding);
}

DType storage_type(int bits) {
  return bits <= 8    ? DType::int8
         : bits <= 16 ? DType::int16
         : bits <= 32 ? DType::int32
                      : DType::int64;
}

Bytes to_integers(std::span<const float> values, std::span<const int> exponents, int64_t inner,
                  const IntegerSpec& spec) {
  const DType type = storage_type(spec.bits);
  Bytes bytes(values.size() * byte_size(type));
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t channel = i / static_cast<size_t>(inner) % exponents.size();
    const int64_t q = to_integer(values[i], exponents[channel], spec);
    switch (type) {
      case DType::int8:
        put<int8_t>(bytes, i, q);
        break;
      case DType::int16:
        put<int16_t>(bytes, i, q);
        break;
      case DType::int32:
        put<int32_t>(bytes, i, q);
        break;
      default:
        put<int64_t>(bytes, i, q);
    }
  }
  return bytes;
}

void fake_quantize(std::span<float> values, std::span<const int> exponents, int64_t inner,
                   const IntegerSpec& spec) {
  for (size_t i = 0; i < values.size(); ++i) {
    const int e = exponents[i / static_cast<size_t>(inner) % exponents.size()];
    values[i] =
        static_cast<float>(std::ldexp(static_cast<double>(to_integer(values[i], e, spec)), e));
  }
}

}  // namespace edgetwin::quantize
