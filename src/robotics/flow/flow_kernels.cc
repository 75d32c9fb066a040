#include "robotics/flow/flow_kernels.h"

#include <algorithm>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>

#include "robotics/flow/x86/flow_tables.h"
#endif

namespace edgetwin::robotics {

void dot_shifts_plain(const Shifts& s) {
  for (size_t k = 0; k < s.count; ++k) {
    int64_t sum = 0;
    for (size_t r = 0; r < s.rows; ++r) {
      const int16_t* a = s.a + r * s.a_row + k * s.step;
      const int16_t* b = s.b + r * s.b_row;
      for (size_t i = 0; i < s.length; ++i) sum += int64_t{a[i]} * b[i];
    }
    s.sums[k] = sum;
  }
}

void sum_squares_plain(const Squares& s) {
  for (size_t y = 0; y < s.height; ++y) {
    for (size_t x = 0; x < s.width; ++x) {
      for (size_t f = 0; f < s.filters; ++f) {
        int sum = -s.offset;
        for (size_t py = 0; py < s.pool; ++py) {
          for (size_t px = 0; px < s.pool; ++px) {
            sum += s.from[(y * s.pool + py) * s.from_row + (x * s.pool + px) * s.filters + f];
          }
        }
        s.to[y * s.to_row + x * s.filters + f] = static_cast<int16_t>(sum);
      }
    }
  }
}

#if defined(__x86_64__)
namespace {

// Eight filters: a position is half a register.
void sum_squares_of_eight(const Squares& s) {
  const __m128i zero = _mm_setzero_si128();
  const __m128i offset = _mm_set1_epi16(static_cast<int16_t>(s.offset));
  for (size_t y = 0; y < s.height; ++y) {
    const uint8_t* top = s.from + y * s.pool * s.from_row;
    for (size_t x = 0; x < s.width; ++x) {
      __m128i sum = zero;
      for (size_t py = 0; py < s.pool; ++py) {
        const uint8_t* p = top + py * s.from_row + x * s.pool * 8;
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
      _mm_storeu_si128(reinterpret_cast<__m128i*>(s.to + y * s.to_row + x * 8),
                       _mm_sub_epi16(sum, offset));
    }
  }
}

// Squares of one position: rows are runs of bytes.
void widen(const Squares& s) {
  const __m128i zero = _mm_setzero_si128();
  const __m128i offset = _mm_set1_epi16(static_cast<int16_t>(s.offset));
  const size_t length = s.width * s.filters;
  for (size_t y = 0; y < s.height; ++y) {
    const uint8_t* from = s.from + y * s.from_row;
    int16_t* to = s.to + y * s.to_row;
    size_t i = 0;
    for (; i + 16 <= length; i += 16) {
      const __m128i piece = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      auto* out = reinterpret_cast<__m128i*>(to + i);
      _mm_storeu_si128(out, _mm_sub_epi16(_mm_unpacklo_epi8(piece, zero), offset));
      _mm_storeu_si128(out + 1, _mm_sub_epi16(_mm_unpackhi_epi8(piece, zero), offset));
    }
    for (; i < length; ++i) to[i] = static_cast<int16_t>(from[i] - s.offset);
  }
}

}  // namespace

void dot_shifts(const Shifts& s) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  const int64_t pairs =
      std::numeric_limits<int32_t>::max() / std::max<int64_t>(2 * s.most * s.most, 1);
  const auto between = static_cast<size_t>(pairs) / std::max<size_t>(s.length / kFlowLanes, 1);
  if (!has_avx2 || between == 0) return dot_shifts_plain(s);
  static const bool has_vnni =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vnni") != 0;
  if (has_vnni && s.length % (2 * kFlowLanes) == 0) return vnni_dot_shifts(s, between);
  avx2_dot_shifts(s, between);
}

void sum_squares(const Squares& s) {
  if (s.pool == 1) return widen(s);
  if (s.filters == 8) return sum_squares_of_eight(s);
  sum_squares_plain(s);
}

#else

void dot_shifts(const Shifts& s) { dot_shifts_plain(s); }
void sum_squares(const Squares& s) { sum_squares_plain(s); }

#endif

}  // namespace edgetwin::robotics
