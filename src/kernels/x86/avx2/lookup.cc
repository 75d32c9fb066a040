// Byte shuffles look up sixteen entries: the table is sixteen of them. A shuffle gives 0 where bit
// 7 of its index is set; (x ^ 16k) + 0x70, saturated, has it clear exactly for the bytes of row k.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

std::size_t lookup8_avx2(const uint8_t* table, const uint8_t* in, uint8_t* out, std::size_t count) {
  __m256i rows[16];
  for (int k = 0; k < 16; ++k) {
    rows[k] = _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * k)));
  }
  const __m256i limit = _mm256_set1_epi8(0x70);
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i));
    __m256i y = _mm256_setzero_si256();
    for (int k = 0; k < 16; ++k) {
      const __m256i row = _mm256_xor_si256(x, _mm256_set1_epi8(static_cast<char>(16 * k)));
      y = _mm256_or_si256(y, _mm256_shuffle_epi8(rows[k], _mm256_adds_epu8(row, limit)));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), y);
  }
  return i;
}

}  // namespace edgetwin::kernels
