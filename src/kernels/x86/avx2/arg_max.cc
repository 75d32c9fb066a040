// The first largest of rows of bytes. A key is an element's complement and its index as one word:
// the least key of a row belongs to the first of its largest elements. Sixteen rows at a time: the
// keys of two rows become eight pairs of least ones side by side, those of all rows one vector.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

using I = __m256i;

__m128i sixteen(const uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

// `count` rows of `length` bytes, at least 16.
struct Rows {
  const uint8_t* x;
  int length;
  I flip;  // turns elements into their complements, of signed ones with the sign turned

  // Eight least keys of this row, and of that eight rows after it.
  [[gnu::always_inline]] I two(std::ptrdiff_t row) const {
    const uint8_t* a = x + row * length;
    const uint8_t* b = a + 8 * static_cast<std::ptrdiff_t>(length);
    I least = keys(a, b, 0);
    for (int at = 16; at + 16 <= length; at += 16) {
      least = _mm256_min_epu16(least, keys(a, b, at));
    }
    // The last sixteen may have been there before, with the same keys.
    return _mm256_min_epu16(least, keys(a, b, length - 16));
  }

  [[gnu::always_inline]] I keys(const uint8_t* a, const uint8_t* b, int at) const {
    const __m128i first =
        _mm_add_epi8(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                     _mm_set1_epi8(static_cast<char>(at)));
    const I index = _mm256_broadcastsi128_si256(first);
    const I elements =
        _mm256_inserti128_si256(_mm256_castsi128_si256(sixteen(a + at)), sixteen(b + at), 1);
    const I value = _mm256_xor_si256(elements, flip);
    return _mm256_min_epu16(_mm256_unpacklo_epi8(index, value), _mm256_unpackhi_epi8(index, value));
  }
};

// Half as many keys of a, and of b between them.
[[gnu::always_inline]] inline I join(I a, I b) {
  return _mm256_min_epu16(_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b));
}

// This order of rows leaves them in order.
[[gnu::always_inline]] inline void sixteen_rows(const Rows& rows, int32_t* out) {
  const I even = join(join(rows.two(0), rows.two(4)), join(rows.two(2), rows.two(6)));
  const I odd = join(join(rows.two(1), rows.two(5)), join(rows.two(3), rows.two(7)));
  const I index = _mm256_and_si256(join(even, odd), _mm256_set1_epi16(0xFF));
  auto* to = reinterpret_cast<I*>(out);
  _mm256_storeu_si256(to, _mm256_cvtepu16_epi32(_mm256_castsi256_si128(index)));
  _mm256_storeu_si256(to + 1, _mm256_cvtepu16_epi32(_mm256_extracti128_si256(index, 1)));
}

int first_largest_of(const uint8_t* x, int length, __m128i flip) {
  const __m128i index = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  __m128i least = _mm_set1_epi16(-1);
  for (int at = 0; at < length; at += 16) {
    const int from = at + 16 <= length ? at : length - 16;
    const __m128i value = _mm_xor_si128(sixteen(x + from), flip);
    const __m128i here = _mm_add_epi8(index, _mm_set1_epi8(static_cast<char>(from)));
    least = _mm_min_epu16(
        least, _mm_min_epu16(_mm_unpacklo_epi8(here, value), _mm_unpackhi_epi8(here, value)));
  }
  return _mm_cvtsi128_si32(_mm_minpos_epu16(least)) & 0xFF;
}

}  // namespace

void arg_max8_avx2(const uint8_t* in, std::ptrdiff_t rows, int length, bool is_signed,
                   int32_t* out) {
  const __m128i flip = _mm_set1_epi8(static_cast<char>(is_signed ? 0x7F : 0xFF));
  std::ptrdiff_t i = 0;
  for (; i + 16 <= rows; i += 16) {
    sixteen_rows({in + i * length, length, _mm256_broadcastsi128_si256(flip)}, out + i);
  }
  for (; i < rows; ++i) out[i] = first_largest_of(in + i * length, length, flip);
}

}  // namespace edgetwin::kernels
