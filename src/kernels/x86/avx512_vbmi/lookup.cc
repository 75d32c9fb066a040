// Two permutations of 128 entries each; bit 7 of the index chooses between them.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

std::size_t lookup8_vbmi(const uint8_t* table, const uint8_t* in, uint8_t* out, std::size_t count) {
  const __m512i t0 = _mm512_loadu_si512(table);
  const __m512i t1 = _mm512_loadu_si512(table + 64);
  const __m512i t2 = _mm512_loadu_si512(table + 128);
  const __m512i t3 = _mm512_loadu_si512(table + 192);
  std::size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    const __m512i x = _mm512_loadu_si512(in + i);
    const __m512i low = _mm512_permutex2var_epi8(t0, x, t1);
    const __m512i high = _mm512_permutex2var_epi8(t2, x, t3);
    _mm512_storeu_si512(out + i, _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high));
  }
  return i;
}

}  // namespace edgetwin::kernels
