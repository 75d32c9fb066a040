// What an instruction set supplies between real numbers and integers with a scale and a zero point.
// Included by files for one instruction set: nothing of the C++ library here (table8.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

enum class AffineType : uint8_t { int8, uint8, int16 };

struct AffineChange {
  AffineType type = AffineType::int8;  // of the integers
  float scale = 1.0F;
  int32_t zero = 0;  // of the type's range
};

struct AffineTable {
  // round(x / scale) + zero, ties away from zero, saturated; what is no number gives the lowest.
  void (*quantize)(const AffineChange& change, const float* in, std::byte* out,
                   std::ptrdiff_t count);
  // scale * (x - zero)
  void (*dequantize)(const AffineChange& change, const std::byte* in, float* out,
                     std::ptrdiff_t count);
};

}  // namespace edgetwin::kernels
