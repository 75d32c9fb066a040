// Vectors of NEON with the dot product of four signed bytes (ARMv8.2-A dotprod).
#pragma once

#define EDGETWIN_ISA_NAMESPACE neon_dotprod
#include "kernels/arm/vec128.h"

namespace edgetwin::kernels::neon_dotprod {

struct Vec : Vec128 {
  // x is unsigned, and there is no dot product of both kinds: x = (x - 128) + 128, where the second
  // part depends on the weights alone, so that the compiler has it once for all pixels of a tile.
  // Sums wrap, as all of them do: no order of additions changes one.
  static I dot(I sum, I x, I w) {
    const int8x16_t weights = vreinterpretq_s8_s32(w);
    const int8x16_t less = vreinterpretq_s8_u8(veorq_u8(vreinterpretq_u8_s32(x), vdupq_n_u8(0x80)));
    const I minus = vdotq_s32(vdupq_n_s32(0), vdupq_n_s8(-128), weights);
    return vsubq_s32(vdotq_s32(sum, less, weights), minus);
  }
  // Four upper bytes of words a lane.
  static I dot_bytes(I sum, I x, I w) { return dot(sum, x, w); }
};

}  // namespace edgetwin::kernels::neon_dotprod
