// Vectors of NEON with the products of unsigned and signed bytes (ARMv8.6-A i8mm): the dot product,
// and for tiles of pixels that of two small matrices.
#pragma once

#define EDGETWIN_ISA_NAMESPACE neon_i8mm
#include "kernels/arm/vec128.h"

namespace edgetwin::kernels::neon_i8mm {

struct Vec : Vec128 {
  static I dot(I sum, I x, I w) {
    return vusdotq_s32(sum, vreinterpretq_u8_s32(x), vreinterpretq_s8_s32(w));
  }
  // Four upper bytes of words a lane.
  static I dot_bytes(I sum, I x, I w) { return dot(sum, x, w); }
  struct Matrix;  // matrix.h
};

}  // namespace edgetwin::kernels::neon_i8mm
