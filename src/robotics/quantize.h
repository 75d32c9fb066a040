// Real numbers to bytes and back, rounded half to even as NumPy does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::robotics {

// Scales below are taken as this.
inline constexpr float kLeastScale = 1e-9F;

// clamp(round(value / scale + zero_point)) to 0..255 and to -128..127. `to` is as long as `values`.
// Errors: module_input for a scale below 0, or a value that is no number.
Status quantize_uint8(std::span<const float> values, float scale, int zero_point,
                      std::span<std::byte> to);
Status quantize_int8(std::span<const float> values, float scale, int zero_point,
                     std::span<int8_t> to);
Result<Bytes> quantize_uint8(std::span<const float> values, float scale, int zero_point);
Result<std::vector<int8_t>> quantize_int8(std::span<const float> values, float scale,
                                          int zero_point = 0);

// Of bytes that stand for uint8.
std::vector<float> dequantize(ByteSpan bytes, float scale, int zero_point);

}  // namespace edgetwin::robotics
