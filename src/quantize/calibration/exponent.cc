#include "quantize/calibration/exponent.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace edgetwin::quantize {
namespace {

constexpr double kLowestScale = 1e-8;

// clamp(round(x / 2^exponent)) of many numbers. To multiply by a power of two is what ldexp does,
// and rounded as it is.
template <class Float>
class Quantizer {
 public:
  Quantizer(int exponent, const IntegerSpec& spec)
      : exponent_(exponent),
        rounding_(spec.rounding),
        factor_(std::ldexp(Float{1}, -exponent)),
        limit_(std::ldexp(Float{1}, spec.bits - 1)),
        // Biases of plain C have all 64 bits.
        most_(std::numeric_limits<int64_t>::max() >> (64 - spec.bits)) {}

  int64_t operator()(Float x) const {
    const Float scaled = std::isnormal(factor_) ? x * factor_ : std::ldexp(x, -exponent_);
    const Float r = numerics::round_float(scaled, rounding_);
    if (std::isnan(r)) return 0;
    if (r >= limit_) return most_;
    if (r < -limit_) return -most_ - 1;
    return static_cast<int64_t>(r);
  }

 private:
  int exponent_;
  numerics::Rounding rounding_;
  Float factor_, limit_;
  int64_t most_;
};

// use(first, count, exponent) for each stretch of one channel.
template <class Use>
void for_each_channel(size_t count, std::span<const int> exponents, int64_t inner, const Use& use) {
  const auto stretch = exponents.size() == 1 ? count : static_cast<size_t>(inner);
  for (size_t at = 0; at < count; at += stretch) {
    use(at, std::min(stretch, count - at), exponents[at / stretch % exponents.size()]);
  }
}

// to(i, integer, 2^exponent) for all values; exponents of floats are far within those of doubles.
template <class Float, class To>
void quantize_as(std::span<const float> values, std::span<const int> exponents, int64_t inner,
                 const IntegerSpec& spec, const To& to) {
  for_each_channel(values.size(), exponents, inner, [&](size_t first, size_t count, int exponent) {
    const Quantizer<Float> quantizer(exponent, spec);
    const double unit = std::ldexp(1.0, exponent);
    for (size_t i = first; i < first + count; ++i) {
      to(i, quantizer(static_cast<Float>(values[i])), unit);
    }
  });
}

template <class To>
void quantize(std::span<const float> values, std::span<const int> exponents, int64_t inner,
              const IntegerSpec& spec, const To& to) {
  if (spec.high_precision) {
    quantize_as<double>(values, exponents, inner, spec, to);
  } else {
    quantize_as<float>(values, exponents, inner, spec, to);
  }
}

template <class T>
Bytes stored(std::span<const float> values, std::span<const int> exponents, int64_t inner,
             const IntegerSpec& spec) {
  Bytes bytes(values.size() * sizeof(T));
  quantize(values, exponents, inner, spec, [&](size_t i, int64_t q, double) {
    const auto narrow = static_cast<T>(q);
    std::memcpy(bytes.data() + i * sizeof narrow, &narrow, sizeof narrow);
  });
  return bytes;
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
  return spec.high_precision ? Quantizer<double>(exponent, spec)(static_cast<double>(x))
                             : Quantizer<float>(exponent, spec)(x);
}

DType storage_type(int bits) {
  return bits <= 8    ? DType::int8
         : bits <= 16 ? DType::int16
         : bits <= 32 ? DType::int32
                      : DType::int64;
}

Bytes to_integers(std::span<const float> values, std::span<const int> exponents, int64_t inner,
                  const IntegerSpec& spec) {
  switch (storage_type(spec.bits)) {
    case DType::int8:
      return stored<int8_t>(values, exponents, inner, spec);
    case DType::int16:
      return stored<int16_t>(values, exponents, inner, spec);
    case DType::int32:
      return stored<int32_t>(values, exponents, inner, spec);
    default:
      return stored<int64_t>(values, exponents, inner, spec);
  }
}

void fake_quantize(std::span<float> values, std::span<const int> exponents, int64_t inner,
                   const IntegerSpec& spec) {
  quantize(values, exponents, inner, spec, [&](size_t i, int64_t q, double unit) {
    values[i] = static_cast<float>(static_cast<double>(q) * unit);
  });
}

}  // namespace edgetwin::quantize
