// Two operands, element by element, for NEON.
#include "kernels/arm/neon/vec.h"

namespace edgetwin::kernels::neon {

struct PairVec : Vec128 {
  static I broadcast64(int64_t x) { return vreinterpretq_s32_s64(vdupq_n_s64(x)); }
  static I multiply(I a, I b) { return vmulq_s32(a, b); }

  // All constants are the same in every lane, so that the first products may be those of the lower
  // two lanes and the second ones those of the upper two.
  static I multiply_even(I a, I b) {
    return vreinterpretq_s32_s64(vmull_s32(vget_low_s32(a), vget_low_s32(b)));
  }
  static I odd_lanes(I x) { return vcombine_s32(vget_high_s32(x), vget_high_s32(x)); }
  static I upper_halves(I lower, I upper) { return vuzp2q_s32(lower, upper); }

  template <int bytes>
  static I widen(const std::byte* p) {
    if constexpr (bytes == 1) {
      return Vec128::widen(reinterpret_cast<const int8_t*>(p));
    } else {
      int16x4_t words;
      __builtin_memcpy(&words, p, sizeof words);
      return vmovl_s16(words);
    }
  }
  // The low bytes of each lane.
  template <int bytes>
  static void narrow(std::byte* to, I x) {
    const int16x4_t words = vmovn_s32(x);
    if constexpr (bytes == 1) {
      const int8x8_t all = vmovn_s16(vcombine_s16(words, words));
      __builtin_memcpy(to, &all, kLanes);
    } else {
      __builtin_memcpy(to, &words, sizeof words);
    }
  }
};

}  // namespace edgetwin::kernels::neon

#include "kernels/arm/tables.h"
#include "kernels/x86/pairs.h"

namespace edgetwin::kernels {

void pairs_neon(const PairConstants& c, const PairRun& run) { neon::pairs(c, run); }

}  // namespace edgetwin::kernels
