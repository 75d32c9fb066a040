#include "modules/flow_kernels.h"

#include <algorithm>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace edgetwin::modules {

int64_t dot_rows_plain(const DotRows& d) {
  int64_t sum = 0;
  for (size_t r = 0; r < d.rows; ++r) {
    const int16_t* a = d.a + r * d.stride;
    const int16_t* b = d.b + r * d.stride;
    for (size_t i = 0; i < d.length; ++i) sum += int64_t{a[i]} * b[i];
  }
  return sum;
}

void sum_squares_plain(const Squares& s) {
  for (size_t y = 0; y < s.height; ++y) {
    for (size_t x = 0; x < s.width; ++x) {
      for (size_t f = 0; f < s.filters; ++f) {
        int sum = -s.offset;
        for (size_t py = 0; py < s.pool; ++py) {
          for (size_t px = 0; px < s.pool; ++px) {
            sum += s.from[(y * s.pool + py) * s.row + (x * s.pool + px) * s.filters + f];
          }
        }
        s.to[(y * s.width + x) * s.filters + f] = static_cast<int16_t>(sum);
      }
    }
  }
}

#if defined(__x86_64__)
namespace {

// How many pair sums a lane of 32 bits takes, and from that how many rows between two widenings.
size_t rows_between(const DotRows& d, size_t lanes) {
  const int64_t pair = std::max<int64_t>(2 * d.most * d.most, 1);
  const int64_t pairs = std::numeric_limits<int32_t>::max() / pair;
  const auto per_row = static_cast<int64_t>(d.length / (2 * lanes) + 1);
  return static_cast<size_t>(pairs / per_row);
}

int64_t sum_of(__m128i lanes) {
  alignas(16) int32_t parts[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(parts), lanes);
  return int64_t{parts[0]} + parts[1] + parts[2] + parts[3];
}

__m128i load(const int16_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

int64_t dot_rows_sse2(const DotRows& d, size_t step) {
  int64_t sum = 0;
  for (size_t r = 0; r < d.rows;) {
    const size_t end = std::min(d.rows, r + step);
    __m128i even = _mm_setzero_si128(), odd = _mm_setzero_si128();
    for (; r < end; ++r) {
      const int16_t* a = d.a + r * d.stride;
      const int16_t* b = d.b + r * d.stride;
      size_t i = 0;
      for (; i + 16 <= d.length; i += 16) {
        even = _mm_add_epi32(even, _mm_madd_epi16(load(a + i), load(b + i)));
        odd = _mm_add_epi32(odd, _mm_madd_epi16(load(a + i + 8), load(b + i + 8)));
      }
      if (i + 8 <= d.length) {
        even = _mm_add_epi32(even, _mm_madd_epi16(load(a + i), load(b + i)));
        i += 8;
      }
      for (; i < d.length; ++i) sum += int64_t{a[i]} * b[i];
    }
    sum += sum_of(even) + sum_of(odd);
  }
  return sum;
}

#define EDGETWIN_AVX2 __attribute__((target("avx2")))

EDGETWIN_AVX2 inline __m256i load_wide(const int16_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

EDGETWIN_AVX2 int64_t sum_of_wide(__m256i lanes) {
  return sum_of(_mm256_castsi256_si128(lanes)) + sum_of(_mm256_extracti128_si256(lanes, 1));
}

EDGETWIN_AVX2 int64_t dot_rows_avx2(const DotRows& d, size_t step) {
  int64_t sum = 0;
  for (size_t r = 0; r < d.rows;) {
    const size_t end = std::min(d.rows, r + step);
    __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
    for (; r < end; ++r) {
      const int16_t* a = d.a + r * d.stride;
      const int16_t* b = d.b + r * d.stride;
      size_t i = 0;
      for (; i + 32 <= d.length; i += 32) {
        even = _mm256_add_epi32(even, _mm256_madd_epi16(load_wide(a + i), load_wide(b + i)));
        odd =
            _mm256_add_epi32(odd, _mm256_madd_epi16(load_wide(a + i + 16), load_wide(b + i + 16)));
      }
      if (i + 16 <= d.length) {
        even = _mm256_add_epi32(even, _mm256_madd_epi16(load_wide(a + i), load_wide(b + i)));
        i += 16;
      }
      if (i + 8 <= d.length) {
        const __m128i part = _mm_madd_epi16(load(a + i), load(b + i));
        odd = _mm256_add_epi32(odd, _mm256_zextsi128_si256(part));
        i += 8;
      }
      for (; i < d.length; ++i) sum += int64_t{a[i]} * b[i];
    }
    sum += sum_of_wide(even) + sum_of_wide(odd);
  }
  return sum;
}

// Eight filters: a position is half a register.
void sum_squares_of_eight(const Squares& s) {
  const __m128i zero = _mm_setzero_si128();
  const __m128i offset = _mm_set1_epi16(static_cast<int16_t>(s.offset));
  for (size_t y = 0; y < s.height; ++y) {
    const uint8_t* top = s.from + y * s.pool * s.row;
    for (size_t x = 0; x < s.width; ++x) {
      __m128i sum = zero;
      for (size_t py = 0; py < s.pool; ++py) {
        const uint8_t* p = top + py * s.row + x * s.pool * 8;
        size_t px = 0;
        for (; px + 2 <= s.pool; px += 2) {
          const __m128i two = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + px * 8));
          sum = _mm_add_epi16(sum, _mm_unpacklo_epi8(two, zero));
          sum = _mm_add_epi16(sum, _mm_unpackhi_epi8(two, zero));
        }
        if (px < s.pool) {
          const __m128i one = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + px * 8));
          sum = _mm_add_epi16(sum, _mm_unpacklo_epi8(one, zero));
        }
      }
      _mm_storeu_si128(reinterpret_cast<__m128i*>(s.to + (y * s.width + x) * 8),
                       _mm_sub_epi16(sum, offset));
    }
  }
}

}  // namespace

int64_t dot_rows(const DotRows& d) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) {
    const size_t step = rows_between(d, 8);
    return step > 0 ? dot_rows_avx2(d, step) : dot_rows_plain(d);
  }
  const size_t step = rows_between(d, 4);
  return step > 0 ? dot_rows_sse2(d, step) : dot_rows_plain(d);
}

void sum_squares(const Squares& s) {
  if (s.filters == 8) return sum_squares_of_eight(s);
  sum_squares_plain(s);
}

#else

int64_t dot_rows(const DotRows& d) { return dot_rows_plain(d); }
void sum_squares(const Squares& s) { sum_squares_plain(s); }

#endif

}  // namespace edgetwin::modules
