// Vectors of NEON as every AArch64 has it: products of bytes in 16 bits, added in pairs.
#pragma once

#define EDGETWIN_ISA_NAMESPACE neon
#include "kernels/arm/vec128.h"

namespace edgetwin::kernels::neon {

struct Vec : Vec128 {
  // x is unsigned: x = (x - 128) + 128, where the second part depends on the weights alone, so that
  // the compiler has it once for all pixels of a tile. A product of two signed bytes is at most
  // 2^14, so that 16 bits hold it; pairs are added in 32.
  static I dot(I sum, I x, I w) {
    const int8x16_t weights = vreinterpretq_s8_s32(w);
    const int8x16_t less = vreinterpretq_s8_u8(veorq_u8(vreinterpretq_u8_s32(x), vdupq_n_u8(0x80)));
    const I more = vshlq_n_s32(vpaddlq_s16(vpaddlq_s8(weights)), 7);
    return vaddq_s32(vaddq_s32(sum, more), signed_dot(less, weights));
  }
  static I signed_dot(int8x16_t a, int8x16_t b) {
    const I low = vpaddlq_s16(vmull_s8(vget_low_s8(a), vget_low_s8(b)));
    return vpaddq_s32(low, vpaddlq_s16(vmull_high_s8(a, b)));
  }
  // Four upper bytes of words a lane.
  static I dot_bytes(I sum, I x, I w) { return dot(sum, x, w); }
};

}  // namespace edgetwin::kernels::neon
