// The first largest of a row of bytes: the largest byte by one instruction across a vector; then
// the row is compared with it.
#include <arm_neon.h>

#include "kernels/arm/tables.h"

namespace edgetwin::kernels {
namespace {

// Four bits per byte that is equal to `found`, of the first at the bottom.
uint64_t equal_bytes(const uint8_t* x, uint8x16_t found) {
  const uint16x8_t equal = vreinterpretq_u16_u8(vceqq_u8(vld1q_u8(x), found));
  return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(equal, 4)), 0);
}

// Rows of 16 bytes and more; their last sixteen may have been there before, which changes neither
// the largest byte nor where it is first.
int first_largest_byte(const uint8_t* x, int length, uint8x16_t flip) {
  uint8x16_t most = veorq_u8(vld1q_u8(x + length - 16), flip);
  for (int k = 0; k + 16 <= length; k += 16) {
    most = vmaxq_u8(most, veorq_u8(vld1q_u8(x + k), flip));
  }
  const uint8x16_t found = veorq_u8(vdupq_n_u8(vmaxvq_u8(most)), flip);
  for (int at = 0; at + 16 <= length; at += 16) {
    const uint64_t equal = equal_bytes(x + at, found);
    if (equal != 0) return at + __builtin_ctzll(equal) / 4;
  }
  return length - 16 + __builtin_ctzll(equal_bytes(x + length - 16, found)) / 4;
}

}  // namespace

void arg_max8_neon(const uint8_t* in, std::ptrdiff_t rows, int length, bool is_signed,
                   int32_t* out) {
  const uint8x16_t flip = vdupq_n_u8(is_signed ? 0x80 : 0);
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    out[i] = first_largest_byte(in + i * length, length, flip);
  }
}

}  // namespace edgetwin::kernels
