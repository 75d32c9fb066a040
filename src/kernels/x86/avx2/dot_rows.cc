// Eight lanes in two vectors: their weights as words times the four inputs of an iteration, summed
// in pairs; the two sums of a lane meet at the end. Zero points of the weights are taken away there
// too, as many times as the inputs are together. Sums wrap.
#include <immintrin.h>

#include <cstring>

#include "kernels/core/dot_table.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr std::size_t kTogether = 64;  // iterations whose inputs are words at the same time

__m256i words_at(const std::byte* p) {
  return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

// The four differences of each iteration [first, first + n) and row, and what those of a row are
// together.
template <std::size_t RowCount>
void spread_inputs(const DotWalk& d, const DotRow* rows, std::size_t first, std::size_t n,
                   int64_t* x, int32_t* all) {
  const __m128i zero = _mm_set1_epi16(static_cast<int16_t>(d.input_zero));
  const __m128i ones = _mm_set1_epi16(1);
  for (std::size_t r = 0; r < RowCount; ++r) {
    __m128i sum = _mm_setzero_si128();
    for (std::size_t k = 0; k < n; ++k) {
      int32_t four = 0;
      std::memcpy(&four, rows[r].x + d.in[first + k], sizeof four);
      const __m128i words = _mm_sub_epi16(_mm_cvtepu8_epi16(_mm_cvtsi32_si128(four)), zero);
      sum = _mm_add_epi32(sum, _mm_madd_epi16(words, ones));
      x[k * RowCount + r] = _mm_cvtsi128_si64(words);
    }
    all[r] = _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_srli_epi64(sum, 32)));
  }
}

// Four lanes (Vectors = 1) or eight from `lane` on, for rows side by side.
template <std::size_t RowCount, int Vectors>
void multiply_lanes(const DotWalk& d, const DotRow* rows, std::size_t first, std::size_t n,
                    const int64_t* x, const int32_t* all, int lane) {
  __m256i low[RowCount], high[RowCount];
  for (std::size_t r = 0; r < RowCount; ++r) low[r] = high[r] = _mm256_setzero_si256();
  const std::byte* weights = d.weights + std::ptrdiff_t{lane} * 4;
  for (std::size_t k = 0; k < n; ++k, x += RowCount) {
    const std::byte* line = weights + d.lines[first + k];
    const __m256i lower = words_at(line);
    const __m256i upper = Vectors == 2 ? words_at(line + 16) : lower;
    for (std::size_t r = 0; r < RowCount; ++r) {
      const __m256i four = _mm256_set1_epi64x(x[r]);
      low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(lower, four));
      if (Vectors == 2) high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(upper, four));
    }
  }
  // One zero point of the four of each lane.
  alignas(32) int32_t zeros[8] = {};
  for (int l = 0; l < 4 * Vectors; ++l) zeros[l] = d.zeros[4 * (lane + l)];
  const __m256i zero = _mm256_load_si256(reinterpret_cast<const __m256i*>(zeros));
  for (std::size_t r = 0; r < RowCount; ++r) {
    const __m256i pairs = _mm256_permute4x64_epi64(_mm256_hadd_epi32(low[r], high[r]), 0xD8);
    const __m256i sums =
        _mm256_sub_epi32(pairs, _mm256_mullo_epi32(zero, _mm256_set1_epi32(all[r])));
    if (Vectors == 2) {
      auto* to = reinterpret_cast<__m256i*>(rows[r].sums + lane);
      _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), sums));
    } else {
      auto* to = reinterpret_cast<__m128i*>(rows[r].sums + lane);
      _mm_storeu_si128(to, _mm_add_epi32(_mm_loadu_si128(to), _mm256_castsi256_si128(sums)));
    }
  }
}

template <std::size_t RowCount>
void multiply_rows(const DotWalk& d, const DotRow* rows) {
  int64_t x[kTogether * RowCount];
  int32_t all[RowCount];
  for (std::size_t first = 0; first < d.length; first += kTogether) {
    const std::size_t n = d.length - first < kTogether ? d.length - first : kTogether;
    spread_inputs<RowCount>(d, rows, first, n, x, all);
    int lane = 0;
    for (; lane + 8 <= d.lanes; lane += 8) {
      multiply_lanes<RowCount, 2>(d, rows, first, n, x, all, lane);
    }
    if (lane < d.lanes) multiply_lanes<RowCount, 1>(d, rows, first, n, x, all, lane);
  }
}

// The four bytes of an iteration for all four lanes: the first two in the lower half, the others in
// the upper one.
template <std::size_t RowCount>
void multiply_words(const WordWalk& d, const std::byte* const* rows, int32_t* sums) {
  const __m256i bytes = _mm256_setr_epi8(0, -1, 1, -1, 0, -1, 1, -1, 0, -1, 1, -1, 0, -1, 1, -1, 2,
                                         -1, 3, -1, 2, -1, 3, -1, 2, -1, 3, -1, 2, -1, 3, -1);
  const std::byte* x[RowCount];
  __m256i halves[RowCount];
  for (std::size_t r = 0; r < RowCount; ++r) {
    x[r] = rows[r];
    halves[r] = _mm256_setzero_si256();
  }
  for (std::size_t k = 0; k < d.length; ++k) {
    const std::ptrdiff_t at = d.in[k];
    const __m256i factors = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(d.factors) + k);
    for (std::size_t r = 0; r < RowCount; ++r) {
      int32_t four = 0;
      std::memcpy(&four, x[r] + at, sizeof four);
      const __m256i words = _mm256_shuffle_epi8(_mm256_set1_epi32(four), bytes);
      halves[r] = _mm256_add_epi32(halves[r], _mm256_madd_epi16(words, factors));
    }
  }
  const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(d.first));
  for (std::size_t r = 0; r < RowCount; ++r) {
    const __m128i sum =
        _mm_add_epi32(_mm256_castsi256_si128(halves[r]), _mm256_extracti128_si256(halves[r], 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(sums) + r, _mm_add_epi32(first, sum));
  }
}

}  // namespace

void dot_words_avx2(const WordWalk& walk, const std::byte* const* rows, std::size_t count,
                    int32_t* sums) {
  for (; count >= 4; count -= 4, rows += 4, sums += 16) multiply_words<4>(walk, rows, sums);
  for (; count != 0; --count, ++rows, sums += 4) multiply_words<1>(walk, rows, sums);
}

void dot_rows_avx2(const DotWalk& walk, const DotRow* rows, std::size_t count) {
  for (; count >= 4; count -= 4, rows += 4) multiply_rows<4>(walk, rows);
  for (; count != 0; --count, ++rows) multiply_rows<1>(walk, rows);
}

}  // namespace edgetwin::kernels
