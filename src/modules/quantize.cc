#include "modules/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace edgetwin::modules {
namespace {

Status check(std::span<const float> values, float scale) {
  if (!(scale >= 0.0F)) {
    return Error(ErrorCode::module_input, "a scale of " + std::to_string(scale) + " is below 0");
  }
  // x * 0 is 0 for numbers only; one sum tells of them all, without a branch for each.
  float poison = 0.0F;
  for (const float v : values) poison += v * 0.0F;
  if (poison == 0.0F) return Ok{};
  const auto bad =
      std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  return Error(ErrorCode::module_input,
               "value " + std::to_string(bad - values.begin()) + " is not a finite number");
}

// Adding and subtracting 1.5 * 2^23 rounds a small float to a whole number, half to even.
constexpr float kRounder = 12582912.0F;

template <class T>
void quantize(std::span<const float> values, float scale, int zero_point, T* to) {
  constexpr bool kSigned = std::is_signed_v<T>;
  constexpr float kLow = kSigned ? -128.0F : 0.0F, kHigh = kSigned ? 127.0F : 255.0F;
  const float divisor = std::max(scale, kLeastScale);
  const auto zero = static_cast<float>(zero_point);
  const size_t count = values.size();
  const float* from = values.data();
  for (size_t i = 0; i < count; ++i) {
    float v = from[i] / divisor + zero;
    // The limits are whole, so that rounding after them gives the same.
    v = v < kLow ? kLow : v;
    v = v > kHigh ? kHigh : v;
    // The lowest byte of the sum's bits is the rounded number modulo 256.
    const float sum = v + kRounder;
    uint32_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    to[i] = static_cast<T>(static_cast<uint8_t>(bits));
  }
}

}  // namespace

Status quantize_uint8(std::span<const float> values, float scale, int zero_point,
                      std::span<std::byte> to) {
  EDGETWIN_TRY(check(values, scale));
  quantize(values, scale, zero_point, reinterpret_cast<uint8_t*>(to.data()));
  return Ok{};
}

Status quantize_int8(std::span<const float> values, float scale, int zero_point,
                     std::span<int8_t> to) {
  EDGETWIN_TRY(check(values, scale));
  quantize(values, scale, zero_point, to.data());
  return Ok{};
}

Result<Bytes> quantize_uint8(std::span<const float> values, float scale, int zero_point) {
  Bytes to(values.size());
  EDGETWIN_TRY(quantize_uint8(values, scale, zero_point, std::span(to)));
  return to;
}

Result<std::vector<int8_t>> quantize_int8(std::span<const float> values, float scale,
                                          int zero_point) {
  std::vector<int8_t> to(values.size());
  EDGETWIN_TRY(quantize_int8(values, scale, zero_point, std::span(to)));
  return to;
}

std::vector<float> dequantize(ByteSpan bytes, float scale, int zero_point) {
  std::vector<float> real(bytes.size());
  std::transform(bytes.begin(), bytes.end(), real.begin(), [&](std::byte b) {
    return static_cast<float>(static_cast<int>(b) - zero_point) * scale;
  });
  return real;
}

}  // namespace edgetwin::modules
