// Two operands, element by element, for AVX-512.
#include "kernels/x86/avx512_vnni/vec.h"

namespace edgetwin::kernels::avx512_vnni {

struct PairVec : Vec {
  static I broadcast64(int64_t x) { return _mm512_set1_epi64(x); }
  static I multiply(I a, I b) { return _mm512_mullo_epi32(a, b); }

  template <int bytes>
  static I widen(const std::byte* p) {
    if constexpr (bytes == 1) {
      return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    } else {
      return _mm512_cvtepi16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
  }
  // The low bytes of each lane.
  template <int bytes>
  static void narrow(std::byte* to, I x) {
    if constexpr (bytes == 1) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(x));
    } else {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(x));
    }
  }
};

}  // namespace edgetwin::kernels::avx512_vnni

#include "kernels/x86/pairs.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

void pairs_avx512(const PairConstants& c, const PairRun& run) { avx512_vnni::pairs(c, run); }

}  // namespace edgetwin::kernels
