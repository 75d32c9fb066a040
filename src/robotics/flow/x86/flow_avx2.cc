#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#define EDGETWIN_ISA_NAMESPACE flow_avx2

namespace edgetwin::robotics::flow_avx2 {

struct Lanes {
  static constexpr size_t kCount = 16;
  __m256i v;

  static Lanes zero() { return {_mm256_setzero_si256()}; }
  static Lanes load(const int16_t* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  void add_products(Lanes a, Lanes b) { v = _mm256_add_epi32(v, _mm256_madd_epi16(a.v, b.v)); }
  int64_t sum() const {
    const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(v));
    const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1));
    const __m256i pairs = _mm256_add_epi64(low, high);
    const __m128i two =
        _mm_add_epi64(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
  }
};

}  // namespace edgetwin::robotics::flow_avx2

#include "robotics/flow/x86/flow_shifts.h"

namespace edgetwin::robotics {

void avx2_dot_shifts(const Shifts& s, size_t between) { flow_avx2::dot_all(s, between); }

}  // namespace edgetwin::robotics
