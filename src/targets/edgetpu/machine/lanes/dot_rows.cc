#include "targets/edgetpu/machine/lanes/dot_rows.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace edgetwin::edgetpu::machine {
namespace {

constexpr int kLanesTogether = 4;  // 16 bytes of a line

#if defined(__SSE2__)

constexpr size_t kTogether = 64;  // iterations whose inputs are words at the same time

// The four differences of each iteration [first, first + n) and row as words, twice in a vector.
template <size_t RowCount>
void spread_inputs(const DotWalk& d, const DotRow* rows, size_t first, size_t n, __m128i* x) {
  const __m128i none = _mm_setzero_si128();
  const __m128i zero = _mm_set1_epi16(static_cast<int16_t>(d.input_zero));
  for (size_t k = 0; k < n; ++k) {
    for (size_t r = 0; r < RowCount; ++r) {
      int32_t four = 0;
      std::memcpy(&four, rows[r].x + d.in[first + k], sizeof four);
      const __m128i bytes = _mm_cvtsi32_si128(four);
      const __m128i words = _mm_sub_epi16(_mm_unpacklo_epi8(bytes, none), zero);
      *x++ = _mm_unpacklo_epi64(words, words);
    }
  }
}

// Four lanes from `lane` on, for rows side by side. Products are summed in pairs; the two sums of a
// lane meet at the end.
template <size_t RowCount>
void multiply_lanes(const DotWalk& d, const DotRow* rows, size_t first, size_t n, const __m128i* x,
                    int lane) {
  const __m128i none = _mm_setzero_si128();
  const auto* zeros = reinterpret_cast<const __m128i*>(d.zeros + ptrdiff_t{lane} * 4);
  const __m128i low_zero = _mm_loadu_si128(zeros), high_zero = _mm_loadu_si128(zeros + 1);
  __m128i low[RowCount], high[RowCount];
  for (size_t r = 0; r < RowCount; ++r) low[r] = high[r] = none;
  const std::byte* weights = d.weights + ptrdiff_t{lane} * 4;
  for (size_t k = 0; k < n; ++k) {
    const __m128i w =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights + d.lines[first + k]));
    const __m128i lower = _mm_sub_epi16(_mm_unpacklo_epi8(w, none), low_zero);
    const __m128i upper = _mm_sub_epi16(_mm_unpackhi_epi8(w, none), high_zero);
    for (size_t r = 0; r < RowCount; ++r) {
      low[r] = _mm_add_epi32(low[r], _mm_madd_epi16(lower, x[r]));
      high[r] = _mm_add_epi32(high[r], _mm_madd_epi16(upper, x[r]));
    }
    x += RowCount;
  }
  for (size_t r = 0; r < RowCount; ++r) {
    const __m128 a = _mm_castsi128_ps(low[r]), b = _mm_castsi128_ps(high[r]);
    const __m128i pairs = _mm_add_epi32(_mm_castps_si128(_mm_shuffle_ps(a, b, 0x88)),
                                        _mm_castps_si128(_mm_shuffle_ps(a, b, 0xDD)));
    auto* to = reinterpret_cast<__m128i*>(rows[r].sums + lane);
    _mm_storeu_si128(to, _mm_add_epi32(_mm_loadu_si128(to), pairs));
  }
}

template <size_t RowCount>
void multiply_rows(const DotWalk& d, const DotRow* rows) {
  __m128i x[kTogether * RowCount];
  for (size_t first = 0; first < d.length; first += kTogether) {
    const size_t n = std::min(kTogether, d.length - first);
    spread_inputs<RowCount>(d, rows, first, n, x);
    for (int lane = 0; lane < d.lanes; lane += kLanesTogether) {
      multiply_lanes<RowCount>(d, rows, first, n, x, lane);
    }
  }
}

#else

template <size_t RowCount>
void multiply_rows(const DotWalk& d, const DotRow* rows) {
  for (size_t r = 0; r < RowCount; ++r) {
    for (size_t k = 0; k < d.length; ++k) {
      const std::byte* x = rows[r].x + d.in[k];
      const std::byte* w = d.weights + d.lines[k];
      int32_t difference[4];
      for (size_t i = 0; i < 4; ++i) {
        difference[i] = static_cast<int32_t>(x[i]) - d.input_zero;
      }
      for (int l = 0; l < d.lanes; ++l) {
        uint32_t product = 0;
        for (int i = 0; i < 4; ++i) {
          const int at = 4 * l + i;
          product += static_cast<uint32_t>(difference[i]) *
                     static_cast<uint32_t>(static_cast<int32_t>(w[at]) - d.zeros[at]);
        }
        add(rows[r].sums[l], static_cast<int32_t>(product));
      }
    }
  }
}

#endif

}  // namespace

void dot_rows(const DotWalk& walk, const DotRow* rows, size_t count) {
  for (; count >= 4; count -= 4, rows += 4) multiply_rows<4>(walk, rows);
  if (count >= 2) {
    multiply_rows<2>(walk, rows);
    count -= 2;
    rows += 2;
  }
  if (count != 0) multiply_rows<1>(walk, rows);
}

bool spread_zeros(const int32_t* zero, int lanes, int16_t* zeros) {
  // A difference from a byte is a word.
  constexpr int32_t kLow = INT16_MIN + 256, kHigh = INT16_MAX;
  bool fits = true;
  for (int l = 0; l < lanes; ++l) {
    fits = fits && zero[l] >= kLow && zero[l] <= kHigh;
    for (int i = 0; i < 4; ++i) zeros[4 * l + i] = static_cast<int16_t>(zero[l]);
  }
  return fits;
}

}  // namespace edgetwin::edgetpu::machine
