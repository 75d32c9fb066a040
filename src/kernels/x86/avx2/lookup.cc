// Byte shuffles look up sixteen entries by the low four bits of an index, and give 0 where its bit
// 7 is set: the table is sixteen of them, eight for each half. Of the results of a half bits 4, 5
// and 6 choose, each one moved to bit 7 for the blend.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

struct BlendMasks {
  __m256i bit4, bit5, bit6;
};

[[gnu::always_inline]] inline __m256i two_rows(const __m256i* rows, __m256i x, __m256i bit4) {
  return _mm256_blendv_epi8(_mm256_shuffle_epi8(rows[0], x), _mm256_shuffle_epi8(rows[1], x), bit4);
}

// 0 where bit 7 of x is set.
[[gnu::always_inline]] inline __m256i half_table(const __m256i* rows, __m256i x,
                                                 const BlendMasks& m) {
  const __m256i low =
      _mm256_blendv_epi8(two_rows(rows, x, m.bit4), two_rows(rows + 2, x, m.bit4), m.bit5);
  const __m256i high =
      _mm256_blendv_epi8(two_rows(rows + 4, x, m.bit4), two_rows(rows + 6, x, m.bit4), m.bit5);
  return _mm256_blendv_epi8(low, high, m.bit6);
}

}  // namespace

std::size_t lookup8_avx2(const uint8_t* table, const uint8_t* in, uint8_t* out, std::size_t count) {
  __m256i rows[16];
  for (int k = 0; k < 16; ++k) {
    rows[k] = _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * k)));
  }
  const __m256i top = _mm256_set1_epi8(-128);
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i));
    const BlendMasks masks = {_mm256_slli_epi16(x, 3), _mm256_slli_epi16(x, 2),
                              _mm256_slli_epi16(x, 1)};
    const __m256i lower = half_table(rows, x, masks);
    const __m256i upper = half_table(rows + 8, _mm256_xor_si256(x, top), masks);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm256_or_si256(lower, upper));
  }
  return i;
}

}  // namespace edgetwin::kernels
