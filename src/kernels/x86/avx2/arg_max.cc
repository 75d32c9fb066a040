// The first largest of a row of bytes. The largest byte comes from one instruction that finds the
// least of eight words; then the row is compared with it.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

__m128i sixteen(const uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

// Rows of 16 bytes and more; their last sixteen may have been there before, which changes neither
// the largest byte nor where it is first.
int first_largest_of(const uint8_t* x, int length, __m128i flip) {
  __m128i least = _mm_xor_si128(sixteen(x + length - 16), flip);
  int k = 0;
  for (; k + 16 <= length; k += 16) {
    least = _mm_min_epu8(least, _mm_xor_si128(sixteen(x + k), flip));
  }
  const __m128i pairs = _mm_min_epu8(least, _mm_srli_epi16(least, 8));
  const __m128i words = _mm_and_si128(pairs, _mm_set1_epi16(0xFF));
  const __m128i found = _mm_xor_si128(_mm_broadcastb_epi8(_mm_minpos_epu16(words)), flip);
  for (int at = 0; at + 16 <= length; at += 16) {
    const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(sixteen(x + at), found));
    if (equal != 0) return at + __builtin_ctz(static_cast<unsigned>(equal));
  }
  const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(sixteen(x + length - 16), found));
  return length - 16 + __builtin_ctz(static_cast<unsigned>(equal));
}

}  // namespace

void arg_max8_avx2(const uint8_t* in, std::ptrdiff_t rows, int length, bool is_signed,
                   int32_t* out) {
  // The complement of an unsigned byte, and of a signed one with its sign turned.
  const __m128i flip = _mm_set1_epi8(static_cast<char>(is_signed ? 0x7F : 0xFF));
  for (std::ptrdiff_t i = 0; i < rows; ++i)
    out[i] = first_largest_of(in + i * length, length, flip);
}

}  // namespace edgetwin::kernels
