// SOFTMAX for AVX2. Entries of the table are put into a vector one by one: gathers
// take longer on the processors that were measured (AMD's third generation).
#define EDGETWIN_ISA_NAMESPACE avx2
#include "kernels/core/chip_softmax_loops.h"
#include "kernels/core/softmax_loops.h"

#include <immintrin.h>

#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

using avx2::Bytes8;
using avx2::Halves8;
using avx2::Words8;

struct Unit {
  [[gnu::always_inline]] static Words8 entries(const uint32_t* table, const uint8_t* at) {
    return Words8{table[at[0]], table[at[1]], table[at[2]], table[at[3]],
                  table[at[4]], table[at[5]], table[at[6]], table[at[7]]};
  }
  // The products of the even and of the odd ones.
  [[gnu::always_inline]] static Words8 high(Words8 x_, uint32_t factor_, uint64_t addend_) {
    const auto x = reinterpret_cast<__m256i>(x_);
    const __m256i factor = _mm256_set1_epi32(static_cast<int>(factor_));
    const __m256i addend = _mm256_set1_epi64x(static_cast<long long>(addend_));
    const __m256i even = _mm256_add_epi64(_mm256_mul_epu32(x, factor), addend);
    const __m256i odd =
        _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), factor), addend);
    return reinterpret_cast<Words8>(_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA));
  }
  [[gnu::always_inline]] static Bytes8 bytes(Words8 x_) {
    const auto x = reinterpret_cast<__m256i>(x_);
    const __m256i halves = _mm256_packus_epi32(x, x);
    const __m256i bytes = _mm256_packus_epi16(halves, halves);  // four and four
    const __m128i eight =
        _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    return reinterpret_cast<Bytes8>(_mm_cvtsi128_si64(eight));
  }
  [[gnu::always_inline]] static Halves8 halves(Words8 x_) {
    const auto x = reinterpret_cast<__m256i>(x_);
    const __m256i halves = _mm256_permute4x64_epi64(_mm256_packus_epi32(x, x), 0x08);
    return reinterpret_cast<Halves8>(_mm256_castsi256_si128(halves));
  }
};

struct ChipUnit {
  using ChipFloats = avx2::ChipFloats;
  using ChipInts = avx2::ChipInts;
  using ChipBytes = avx2::ChipBytes;
  [[gnu::always_inline]] static ChipInts nearest(avx2::ChipFloats x) {
    return reinterpret_cast<ChipInts>(_mm256_cvtps_epi32(reinterpret_cast<__m256>(x)));
  }
  [[gnu::always_inline]] static ChipFloats larger(ChipFloats a, ChipFloats b) {
    return reinterpret_cast<ChipFloats>(
        _mm256_max_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
  }
  [[gnu::always_inline]] static ChipFloats smaller(ChipFloats a, ChipFloats b) {
    return reinterpret_cast<ChipFloats>(
        _mm256_min_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
  }
  [[gnu::always_inline]] static avx2::ChipWords wide(avx2::ChipHalves x) {
    return reinterpret_cast<avx2::ChipWords>(_mm256_cvtepu16_epi32(reinterpret_cast<__m128i>(x)));
  }
  [[gnu::always_inline]] static avx2::ChipFloats pick(const float* table, ChipInts at) {
    return reinterpret_cast<avx2::ChipFloats>(
        _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), reinterpret_cast<__m256i>(at)));
  }
  [[gnu::always_inline]] static ChipBytes bytes(ChipInts a, ChipInts b, ChipInts c, ChipInts d) {
    const __m256i low =
        _mm256_packs_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b));
    const __m256i high =
        _mm256_packs_epi32(reinterpret_cast<__m256i>(c), reinterpret_cast<__m256i>(d));
    return reinterpret_cast<ChipBytes>(_mm256_permutevar8x32_epi32(
        _mm256_packus_epi16(low, high), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
  }
  [[gnu::always_inline]] static uint32_t differing(ChipBytes a, ChipBytes b) {
    const __m256i equal =
        _mm256_cmpeq_epi8(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b));
    const auto mask = static_cast<uint32_t>(_mm256_movemask_epi8(equal));
    return static_cast<uint32_t>(__builtin_popcount(~mask));
  }
};

}  // namespace

ChipSums chip_sums_avx2(const ChipRow& row, const uint8_t* x, std::ptrdiff_t count, uint8_t flip) {
  return avx2::chip_row_sums<ChipUnit>(row, x, count, flip);
}

ChipCounts chip_results_avx2(const ChipPortion& portion, const ChipRow& row, uint8_t* results) {
  return avx2::chip_row_results<ChipUnit>(portion, row, results);
}

ChipCounts chip_softmax_avx2(const ChipSoftmax& function, const uint8_t* x, std::ptrdiff_t rows,
                             std::ptrdiff_t length, uint8_t* out) {
  return avx2::chip_softmax_rows<ChipUnit>(function, x, rows, length, out);
}

void softmax_rows_avx2(const SoftmaxRows& function, const uint8_t* x, std::ptrdiff_t rows,
                       std::ptrdiff_t length, uint8_t* out) {
  avx2::softmax_rows<Unit>(function, x, rows, length, out);
}

}  // namespace edgetwin::kernels
