#include "base/sha256_blocks.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace edgetwin {

#if defined(__x86_64__)
namespace {

// Leaf 7, EBX bit 29. The registers are those of SSE, which every system saves.
bool has_sha() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & (1U << 29)) == 0) return false;
  return __builtin_cpu_supports("sse4.1") != 0 && __builtin_cpu_supports("ssse3") != 0;
}

// The instructions keep the state as words f e b a and h g d c, lowest first.
__attribute__((target("sha,sse4.1,ssse3"))) void take_blocks(uint32_t* state, const uint8_t* data,
                                                             size_t blocks,
                                                             const uint32_t* rounds) {
  auto* words = reinterpret_cast<__m128i*>(state);
  const __m128i dcba = _mm_loadu_si128(words), hgfe = _mm_loadu_si128(words + 1);
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1), efgh = _mm_shuffle_epi32(hgfe, 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  const __m128i big_endian = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
  for (; blocks > 0; --blocks, data += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    const auto* in = reinterpret_cast<const __m128i*>(data);
    __m128i w[4];
    for (int i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(_mm_loadu_si128(in + i), big_endian);
    for (int i = 0; i < 16; ++i) {
      __m128i& now = w[i % 4];
      if (i >= 4) {
        const __m128i last = w[(i + 3) % 4];
        const __m128i seven_before = _mm_alignr_epi8(last, w[(i + 2) % 4], 4);
        now = _mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]), seven_before);
        now = _mm_sha256msg2_epu32(now, last);
      }
      const auto* constants = reinterpret_cast<const __m128i*>(rounds + 4 * i);
      const __m128i k = _mm_add_epi32(now, _mm_loadu_si128(constants));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(k, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace

bool sha256_blocks_fast(uint32_t* state, const uint8_t* data, size_t blocks,
                        const uint32_t* rounds) {
  static const bool available = (__builtin_cpu_init(), has_sha());
  if (available) take_blocks(state, data, blocks, rounds);
  return available;
}
#else
bool sha256_blocks_fast(uint32_t*, const uint8_t*, size_t, const uint32_t*) { return false; }
#endif

}  // namespace edgetwin
