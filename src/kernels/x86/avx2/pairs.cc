// Two operands, element by element, for AVX2.
#include "kernels/x86/avx2/vec.h"

namespace edgetwin::kernels::avx2 {

struct PairVec : Vec256 {
  static I broadcast64(int64_t x) { return _mm256_set1_epi64x(x); }
  static I multiply(I a, I b) { return _mm256_mullo_epi32(a, b); }

  template <int bytes>
  static I widen(const std::byte* p) {
    if constexpr (bytes == 1) {
      return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    } else {
      return _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
  }
  // The low bytes of each lane.
  template <int bytes>
  static void narrow(std::byte* to, I x) {
    if constexpr (bytes == 1) {
      const I low =
          _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                     0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)));
      const __m128i all =
          _mm_unpacklo_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to), all);
    } else {
      const I low =
          _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                     0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1)));
      const __m128i all =
          _mm_unpacklo_epi64(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), all);
    }
  }
};

}  // namespace edgetwin::kernels::avx2

#include "kernels/x86/pairs.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

void pairs_avx2(const PairConstants& c, const PairRun& run) {
  const std::ptrdiff_t taken = chip_pairs_avx2(c, run);
  if (taken == run.count) return;
  PairRun rest = run;
  rest.a += taken * run.step_a;
  rest.b += taken * run.step_b;
  rest.out += taken;
  rest.count -= taken;
  avx2::pairs(c, rest);
}

}  // namespace edgetwin::kernels
