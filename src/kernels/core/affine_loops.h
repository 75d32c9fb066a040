// Between real numbers and integers as loops without branches, for the compiler to make vectors of.
// Included once per instruction set.
#pragma once

#include "kernels/core/affine_table.h"
#include "kernels/core/no_dependence.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// Quotients are limited before they are rounded: the limits are integers, and rounding keeps the
// order of numbers. Within them the integer part and what is left of it are exact.
template <class T>
void affine_quantize_to(const AffineChange& c, int32_t lowest, int32_t highest, const float* in_,
                        std::byte* out_, std::ptrdiff_t count) {
  const float* __restrict in = in_;
  T* __restrict out = reinterpret_cast<T*>(out_);
  const float scale = c.scale;
  const int32_t zero = c.zero;
  const auto low = static_cast<float>(lowest - zero), high = static_cast<float>(highest - zero);
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const float x = in[i] / scale;
    const float least = x > low ? x : low;
    const float limited = least < high ? least : high;
    const auto cut = static_cast<int32_t>(limited);
    const float rest = limited - static_cast<float>(cut);
    const int32_t up = rest >= 0.5F ? 1 : 0, down = rest <= -0.5F ? 1 : 0;
    out[i] = static_cast<T>(cut + up - down + zero);
  }
}

template <class T>
void affine_dequantize_from(const AffineChange& c, const std::byte* in_, float* out_,
                            std::ptrdiff_t count) {
  const T* __restrict in = reinterpret_cast<const T*>(in_);
  float* __restrict out = out_;
  const float scale = c.scale;
  const int32_t zero = c.zero;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    out[i] = scale * static_cast<float>(static_cast<int32_t>(in[i]) - zero);
  }
}

inline void affine_quantize(const AffineChange& c, const float* in, std::byte* out,
                            std::ptrdiff_t count) {
  switch (c.type) {
    case AffineType::int8:
      return affine_quantize_to<int8_t>(c, -128, 127, in, out, count);
    case AffineType::uint8:
      return affine_quantize_to<uint8_t>(c, 0, 255, in, out, count);
    case AffineType::int16:
      return affine_quantize_to<int16_t>(c, -32768, 32767, in, out, count);
  }
}

inline void affine_dequantize(const AffineChange& c, const std::byte* in, float* out,
                              std::ptrdiff_t count) {
  switch (c.type) {
    case AffineType::int8:
      return affine_dequantize_from<int8_t>(c, in, out, count);
    case AffineType::uint8:
      return affine_dequantize_from<uint8_t>(c, in, out, count);
    case AffineType::int16:
      return affine_dequantize_from<int16_t>(c, in, out, count);
  }
}

inline constexpr AffineTable kAffineTable = {affine_quantize, affine_dequantize};

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
