// Vectors of 256 bits: 8 sums of 32 bits. What AVX2 and AVX-VNNI share; included once per
// instruction set, within its own namespace.
#pragma once

#include <immintrin.h>

#include "kernels/core/table8.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

struct Vec256 {
  using I = __m256i;
  static constexpr int kLanes = 8;
  static constexpr int kBytes = 32;
  static constexpr int kTilePixels = 6;  // 12 sums, 2 weights, 1 input: 15 registers of 16

  static I load_bytes(const void* p) { return _mm256_loadu_si256(static_cast<const I*>(p)); }
  static I load(const int32_t* p) { return load_bytes(p); }
  static void store(int32_t* p, I x) { _mm256_storeu_si256(reinterpret_cast<I*>(p), x); }
  static I broadcast(int32_t x) { return _mm256_set1_epi32(x); }
  static I broadcast4(const uint8_t* p) {
    int32_t word;
    __builtin_memcpy(&word, p, sizeof word);
    return _mm256_set1_epi32(word);
  }

  // Ends the life of what was in the register: GCC would otherwise decide on keeping a sum in
  // memory for what follows a loop, and store it in every turn of the loop.
  static void settle(I& x) { asm("" : "+x"(x)); }

  static I add(I a, I b) { return _mm256_add_epi32(a, b); }
  static I subtract(I a, I b) { return _mm256_sub_epi32(a, b); }
  static I shift_left(I x, I by) { return _mm256_sllv_epi32(x, by); }
  static I shift_right(I x, I by) { return _mm256_srav_epi32(x, by); }
  static I shift_right_unsigned(I x, I by) { return _mm256_srlv_epi32(x, by); }

  // y without the bits of `clear` in the lanes where x & mask is zero.
  static I clear_where_zero(I y, I clear, I x, I mask) {
    const I zero = _mm256_cmpeq_epi32(_mm256_and_si256(x, mask), _mm256_setzero_si256());
    return _mm256_andnot_si256(_mm256_and_si256(zero, clear), y);
  }

  // The float product of the Edge TPU.
  using F = __m256;
  static F load_floats(const int32_t* p) { return _mm256_castsi256_ps(load(p)); }
  static F broadcast_float(float x) { return _mm256_set1_ps(x); }
  static F to_floats(I x) { return _mm256_cvtepi32_ps(x); }
  static F multiply_floats(F a, F b) { return _mm256_mul_ps(a, b); }
  static F clamp_floats(F x, F low, F high) { return _mm256_min_ps(_mm256_max_ps(x, low), high); }
  static I round_to_even(F x) { return _mm256_cvtps_epi32(x); }
  // One bit per lane where x is one half away from the integer.
  static unsigned half_apart(F x, I integer) {
    const F apart = _mm256_sub_ps(x, _mm256_cvtepi32_ps(integer));
    const F distance = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), apart);
    return static_cast<unsigned>(
        _mm256_movemask_ps(_mm256_cmp_ps(distance, _mm256_set1_ps(0.5F), _CMP_EQ_OQ)));
  }

  static I multiply_even(I a, I b) { return _mm256_mul_epi32(a, b); }
  static I add64(I a, I b) { return _mm256_add_epi64(a, b); }
  // By shuffles: shifts are what a tail has enough of.
  static I odd_lanes(I x) { return _mm256_shuffle_epi32(x, 0xF5); }
  static I upper_halves(I even, I odd) {
    return _mm256_blend_epi32(_mm256_shuffle_epi32(even, 0xF5), odd, 0xAA);
  }

  static I bit_and(I a, I b) { return _mm256_and_si256(a, b); }
  static I bit_or(I a, I b) { return _mm256_or_si256(a, b); }
  static I clamp(I x, I low, I high) { return _mm256_min_epi32(_mm256_max_epi32(x, low), high); }
  // Pairs of words of a and b, within pieces of 128 bits.
  static I interleave_low(I a, I b) { return _mm256_unpacklo_epi16(a, b); }
  static I interleave_high(I a, I b) { return _mm256_unpackhi_epi16(a, b); }
  static I broadcast_word(int16_t x) { return _mm256_set1_epi16(x); }

  // Saturates to 16 bits, clamps and stores the first `count` results. Of two vectors, lane l of
  // vector v is channel l / 4 * 8 + 4v + l % 4.
  static void store_words(int16_t* to, I a, I b, I low, I high, int count) {
    const I x = _mm256_min_epi16(_mm256_max_epi16(_mm256_packs_epi32(a, b), low), high);
    store_some_words(to, x, count);
  }
  static void store_words(int16_t* to, I a, I low, I high, int count) {
    const I x = _mm256_min_epi16(_mm256_max_epi16(_mm256_packs_epi32(a, a), low), high);
    store_some_words(to, _mm256_permute4x64_epi64(x, 0xD8), count);
  }
  static void store_some_words(int16_t* to, I x, int count) {
    if (count >= 16) {
      _mm256_storeu_si256(reinterpret_cast<I*>(to), x);
    } else if (count == 8) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(x));
    } else {
      int16_t all[16];
      _mm256_storeu_si256(reinterpret_cast<I*>(all), x);
      for (int i = 0; i < count; ++i) to[i] = all[i];
    }
  }

  // The upper bits, `shift` of them dropped, of 32 words + 2^15.
  static constexpr int kEncodedWords = 32;
  static void encode_upper(uint8_t* to, const int16_t* from, int shift) {
    const I middle = _mm256_set1_epi16(INT16_MIN);
    const I a = _mm256_srli_epi16(_mm256_xor_si256(load_bytes(from), middle), shift);
    const I b = _mm256_srli_epi16(_mm256_xor_si256(load_bytes(from + 16), middle), shift);
    const I x = _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xD8);
    _mm256_storeu_si256(reinterpret_cast<I*>(to), x);
  }

  // Lanes of 20 bits; see lanes_plan.cc.
  static constexpr int kLanePixels = 4;  // 8 sums, 3 weights, 1 input, and limits
  static I widen(const int8_t* p) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  static void store_lanes(int8_t* to, I x, int count) {
    const I words = _mm256_permute4x64_epi64(_mm256_packs_epi32(x, x), 0xD8);
    const __m128i low = _mm256_castsi256_si128(words);
    int8_t all[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(all), _mm_packs_epi16(low, low));
    if (count == kLanes) {
      __builtin_memcpy(to, all, kLanes);
    } else {
      for (int i = 0; i < count; ++i) to[i] = all[i];
    }
  }
  static int count_different(I a, I b, int from, int count) {
    const int equal = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)));
    return __builtin_popcount(~static_cast<unsigned>(equal) & ((1U << count) - (1U << from)));
  }

  static void copy_some(uint8_t* to, const uint8_t* from, int count) {
    for (int i = 0; i < kLanes; ++i) to[i] = i < count ? from[i] : uint8_t{0};
  }

  static int32_t sum_bytes(const uint8_t* p, int count) {
    I sum = _mm256_setzero_si256();
    for (; count >= 32; count -= 32, p += 32) {
      sum = _mm256_add_epi64(sum, _mm256_sad_epu8(load_bytes(p), _mm256_setzero_si256()));
    }
    int64_t parts[4];
    _mm256_storeu_si256(reinterpret_cast<I*>(parts), sum);
    auto total = static_cast<int32_t>(parts[0] + parts[1] + parts[2] + parts[3]);
    for (; count > 0; --count, ++p) total += *p;
    return total;
  }
};

// Saturates results to bytes, clamps and stores them.
struct Narrow {
  __m256i lowest, highest, flip;

  explicit Narrow(const TailTable& tail)
      : lowest(_mm256_set1_epi8(tail.act_min)),
        highest(_mm256_set1_epi8(tail.act_max)),
        flip(_mm256_set1_epi8(static_cast<char>(tail.flip))) {}

  // The 128-bit piece L of the result has words 4L to 4L + 3 of a, b, c and d.
  __m256i bytes(__m256i a, __m256i b, __m256i c, __m256i d) const {
    const __m256i x = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    return _mm256_xor_si256(_mm256_min_epi8(_mm256_max_epi8(x, lowest), highest), flip);
  }

  static void store_some(uint8_t* to, __m128i x, int count) {
    uint8_t all[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(all), x);
    for (int i = 0; i < count; ++i) to[i] = all[i];
  }

  // Two pixels of two vectors each.
  void store2(__m256i a0, __m256i a1, __m256i b0, __m256i b1, uint8_t* a, uint8_t* b,
              int channels) const {
    const __m256i x = _mm256_permute4x64_epi64(bytes(a0, a1, b0, b1), 0xD8);
    const __m128i first = _mm256_castsi256_si128(x), second = _mm256_extracti128_si256(x, 1);
    if (channels == 16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(a), first);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(b), second);
    } else {
      store_some(a, first, channels);
      store_some(b, second, channels);
    }
  }

  // One pixel of four vectors.
  void store4(__m256i a, __m256i b, __m256i c, __m256i d, uint8_t* to) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes(a, b, c, d));
  }

  // `count` pixels, at most the four, of one vector each.
  void store1(__m256i p0, __m256i p1, __m256i p2, __m256i p3, uint8_t* to, std::ptrdiff_t stride,
              int count, int channels) const {
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i x = _mm256_permutevar8x32_epi32(bytes(p0, p1, p2, p3), order);
    const __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);
    if (count >= 4 && channels == 8) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to), low);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to + stride), _mm_unpackhi_epi64(low, low));
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 2 * stride), high);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 3 * stride), _mm_unpackhi_epi64(high, high));
      return;
    }
    store_some(to, low, channels);
    if (count > 1) store_some(to + stride, _mm_unpackhi_epi64(low, low), channels);
    if (count > 2) store_some(to + 2 * stride, high, channels);
    if (count > 3) store_some(to + 3 * stride, _mm_unpackhi_epi64(high, high), channels);
  }
};

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
