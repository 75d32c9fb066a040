#include "modules/flow_kernels.h"

#include <algorithm>
#include <array>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace edgetwin::modules {

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

#define EDGETWIN_AVX2 __attribute__((target("avx2")))

EDGETWIN_AVX2 inline __m256i load(const int16_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

EDGETWIN_AVX2 inline int64_t sum_of(__m256i lanes) {
  const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes));
  const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(lanes, 1));
  const __m256i pairs = _mm256_add_epi64(low, high);
  const __m128i two =
      _mm_add_epi64(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

// `kCount` shifts at once, so that every piece of b is loaded once; their sums stay in registers
// for `between` rows, after which a lane of 32 bits could overflow.
template <size_t kCount>
EDGETWIN_AVX2 void dot_some(const Shifts& s, size_t first, size_t between) {
  int64_t sums[kCount] = {};
  for (size_t r = 0; r < s.rows;) {
    const size_t end = std::min(s.rows, r + between);
    __m256i lanes[kCount];
    for (size_t k = 0; k < kCount; ++k) lanes[k] = _mm256_setzero_si256();
    for (; r < end; ++r) {
      const int16_t* a = s.a + r * s.a_row + first * s.step;
      const int16_t* b = s.b + r * s.b_row;
      for (size_t i = 0; i < s.length; i += kFlowLanes) {
        const __m256i piece = load(b + i);
#pragma GCC unroll 9
        for (size_t k = 0; k < kCount; ++k) {
          lanes[k] = _mm256_add_epi32(lanes[k], _mm256_madd_epi16(piece, load(a + i + k * s.step)));
        }
      }
    }
    for (size_t k = 0; k < kCount; ++k) sums[k] += sum_of(lanes[k]);
  }
  for (size_t k = 0; k < kCount; ++k) s.sums[first + k] = sums[k];
}

void dot_shifts_avx2(const Shifts& s, size_t between) {
  size_t k = 0;
  for (; k + 9 <= s.count; k += 9) dot_some<9>(s, k, between);
  for (; k + 3 <= s.count; k += 3) dot_some<3>(s, k, between);
  for (; k < s.count; ++k) dot_some<1>(s, k, between);
}

#define EDGETWIN_VNNI __attribute__((target("avx512f,avx512vnni")))
constexpr size_t kWideLanes = 2 * kFlowLanes;

// The same in registers twice as wide, for lengths that fill them.
template <size_t kCount>
EDGETWIN_VNNI void dot_some_wide(const Shifts& s, size_t first, size_t between) {
  int64_t sums[kCount] = {};
  for (size_t r = 0; r < s.rows;) {
    const size_t end = std::min(s.rows, r + between);
    __m512i lanes[kCount];
    for (size_t k = 0; k < kCount; ++k) lanes[k] = _mm512_setzero_si512();
    for (; r < end; ++r) {
      const int16_t* a = s.a + r * s.a_row + first * s.step;
      const int16_t* b = s.b + r * s.b_row;
      for (size_t i = 0; i < s.length; i += kWideLanes) {
        const __m512i piece = _mm512_loadu_si512(b + i);
#pragma GCC unroll 9
        for (size_t k = 0; k < kCount; ++k) {
          lanes[k] = _mm512_dpwssd_epi32(lanes[k], piece, _mm512_loadu_si512(a + i + k * s.step));
        }
      }
    }
    for (size_t k = 0; k < kCount; ++k) {
      alignas(64) std::array<int32_t, 16> out;
      _mm512_store_si512(out.data(), lanes[k]);
      for (const int32_t lane : out) sums[k] += lane;
    }
  }
  for (size_t k = 0; k < kCount; ++k) s.sums[first + k] = sums[k];
}

EDGETWIN_VNNI void dot_shifts_wide(const Shifts& s, size_t between) {
  size_t k = 0;
  for (; k + 9 <= s.count; k += 9) dot_some_wide<9>(s, k, between);
  for (; k + 3 <= s.count; k += 3) dot_some_wide<3>(s, k, between);
  for (; k < s.count; ++k) dot_some_wide<1>(s, k, between);
}

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
  if (has_vnni && s.length % kWideLanes == 0) return dot_shifts_wide(s, between);
  dot_shifts_avx2(s, between);
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

}  // namespace edgetwin::modules
