// Vectors of AVX-512 with VNNI: 16 sums of 32 bits.
#pragma once

#include <immintrin.h>

#include "kernels/core/table8.h"

#define EDGETWIN_ISA_NAMESPACE avx512_vnni

namespace edgetwin::kernels::avx512_vnni {

struct Vec {
  using I = __m512i;
  static constexpr int kLanes = 16;
  static constexpr int kBytes = 64;
  static constexpr int kTaps = 4;
  static constexpr int kElementBytes = 1;
  static constexpr int kTilePixels = 14;  // 28 sums, 2 weights, 1 input: 31 registers of 32
  static constexpr int kEncoded = 64;

  static I load(const int32_t* p) { return _mm512_loadu_si512(p); }
  static void store(int32_t* p, I x) { _mm512_storeu_si512(p, x); }
  static I load_bytes(const void* p) { return _mm512_loadu_si512(p); }
  static I broadcast(int32_t x) { return _mm512_set1_epi32(x); }
  static I broadcast4(const uint8_t* p) {
    int32_t word;
    __builtin_memcpy(&word, p, sizeof word);
    return _mm512_set1_epi32(word);
  }
  static I dot(I sum, I x, I w) { return _mm512_dpbusd_epi32(sum, x, w); }

  // For elements of 16 bits: two words, or four bytes that are the upper ones of words.
  static constexpr int kHighShift = 8;
  static I dot_words(I sum, I x, I w) { return _mm512_dpwssd_epi32(sum, x, w); }
  static I dot_bytes(I sum, I x, I w) { return dot(sum, x, w); }

  // Ends the life of what was in the register: GCC would otherwise decide on keeping a sum in
  // memory for what follows a loop, and store it in every turn of the loop.
  static void settle(I& x) { asm("" : "+v"(x)); }

  static I add(I a, I b) { return _mm512_add_epi32(a, b); }
  static I subtract(I a, I b) { return _mm512_sub_epi32(a, b); }
  static I shift_left(I x, I by) { return _mm512_sllv_epi32(x, by); }
  static I shift_right(I x, I by) { return _mm512_srav_epi32(x, by); }
  static I shift_right_unsigned(I x, I by) { return _mm512_srlv_epi32(x, by); }

  // y without the bits of `clear` in the lanes where x & mask is zero.
  static I clear_where_zero(I y, I clear, I x, I mask) {
    return _mm512_mask_andnot_epi32(y, _mm512_testn_epi32_mask(x, mask), clear, y);
  }

  // The float product of the Edge TPU.
  using F = __m512;
  static F load_floats(const int32_t* p) { return _mm512_castsi512_ps(load(p)); }
  static F broadcast_float(float x) { return _mm512_set1_ps(x); }
  static F to_floats(I x) { return _mm512_cvtepi32_ps(x); }
  static F multiply_floats(F a, F b) { return _mm512_mul_ps(a, b); }
  static F clamp_floats(F x, F low, F high) { return _mm512_min_ps(_mm512_max_ps(x, low), high); }
  static I round_to_even(F x) { return _mm512_cvtps_epi32(x); }
  // One bit per lane where x is one half away from the integer.
  static unsigned half_apart(F x, I integer) {
    const F distance = _mm512_abs_ps(_mm512_sub_ps(x, _mm512_cvtepi32_ps(integer)));
    return _mm512_cmp_ps_mask(distance, _mm512_set1_ps(0.5F), _CMP_EQ_OQ);
  }

  // 64-bit products of the even lanes, and what brings the odd lanes there and back.
  static I multiply_even(I a, I b) { return _mm512_mul_epi32(a, b); }
  static I add64(I a, I b) { return _mm512_add_epi64(a, b); }
  static I odd_lanes(I x) { return _mm512_srli_epi64(x, 32); }
  static I upper_halves(I even, I odd) {
    return _mm512_castps_si512(
        _mm512_mask_movehdup_ps(_mm512_castsi512_ps(odd), 0x5555, _mm512_castsi512_ps(even)));
  }

  static I bit_and(I a, I b) { return _mm512_and_si512(a, b); }
  static I bit_or(I a, I b) { return _mm512_or_si512(a, b); }
  static I clamp(I x, I low, I high) { return _mm512_min_epi32(_mm512_max_epi32(x, low), high); }
  // Pairs of words of a and b, within pieces of 128 bits.
  static I interleave_low(I a, I b) { return _mm512_unpacklo_epi16(a, b); }
  static I interleave_high(I a, I b) { return _mm512_unpackhi_epi16(a, b); }
  static I broadcast_word(int16_t x) { return _mm512_set1_epi16(x); }

  // Saturates to 16 bits, clamps and stores the first `count` results. Of two vectors, lane l of
  // vector v is channel l / 4 * 8 + 4v + l % 4.
  static void store_words(int16_t* to, I a, I b, I low, I high, int count) {
    const I x = _mm512_min_epi16(_mm512_max_epi16(_mm512_packs_epi32(a, b), low), high);
    if (count >= 2 * kLanes) {
      _mm512_storeu_si512(to, x);
    } else {
      _mm512_mask_storeu_epi16(to, static_cast<__mmask32>((1ULL << count) - 1), x);
    }
  }
  static void store_words(int16_t* to, I a, I low, I high, int count) {
    const __m256i x =
        _mm256_min_epi16(_mm256_max_epi16(_mm512_cvtsepi32_epi16(a), _mm512_castsi512_si256(low)),
                         _mm512_castsi512_si256(high));
    _mm256_mask_storeu_epi16(to, static_cast<__mmask16>((1U << count) - 1), x);
  }

  // (x + 2^15) >> kHighShift of 64 words.
  static constexpr int kEncodedWords = 64;
  static void encode_words(uint8_t* to, const int16_t* from) {
    const I order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    const I a = _mm512_srli_epi16(_mm512_loadu_si512(from), 8);
    const I b = _mm512_srli_epi16(_mm512_loadu_si512(from + 32), 8);
    const I x = _mm512_permutexvar_epi64(order, _mm512_packus_epi16(a, b));
    _mm512_storeu_si512(to, _mm512_xor_si512(x, _mm512_set1_epi8(static_cast<char>(0x80))));
  }

  // Lanes of 20 bits; see lanes_plan.cc.
  static constexpr int kLaneScale = 12;
  static constexpr int kLanePixels = 12;  // 24 sums, 3 weights, 1 input
  static I first_lane_weights(I w) { return _mm512_maskz_slli_epi16(0x55555555, w, 8); }
  static I second_lane_weights(I w) { return _mm512_maskz_slli_epi16(0xAAAAAAAA, w, 8); }
  static I lane_step(I sum, I x, I w) { return _mm512_dpwssds_epi32(sum, x, w); }
  static I widen(const int8_t* p) {
    return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static void store_lanes(int8_t* to, I x, int count) {
    _mm_mask_storeu_epi8(to, static_cast<__mmask16>((1U << count) - 1), _mm512_cvtepi32_epi8(x));
  }
  static int count_different(I a, I b, int from, int count) {
    const auto mask = static_cast<__mmask16>((1U << count) - (1U << from));
    return __builtin_popcount(_mm512_mask_cmpneq_epi32_mask(mask, a, b));
  }

  static void copy_some(uint8_t* to, const uint8_t* from, int count) {
    const auto mask = static_cast<__mmask16>((1U << count) - 1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_maskz_loadu_epi8(mask, from));
  }

  static int32_t sum_bytes(const uint8_t* p, int count) {
    I sum = _mm512_setzero_si512();
    for (; count > 0; count -= 64, p += 64) {
      const __mmask64 mask = count >= 64 ? ~__mmask64{0} : (__mmask64{1} << count) - 1;
      const I x = _mm512_maskz_loadu_epi8(mask, p);
      sum = _mm512_add_epi64(sum, _mm512_sad_epu8(x, _mm512_setzero_si512()));
    }
    return static_cast<int32_t>(_mm512_reduce_add_epi64(sum));
  }

  struct Encoder {
    I flip;
    I dwords, bytes;
    explicit Encoder(const InputEncoding& e)
        : flip(_mm512_set1_epi8(static_cast<char>(e.flip))),
          dwords(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)),
          bytes(_mm512_broadcast_i32x4(
              _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15))) {}

    void encode(uint8_t* to, const uint8_t* from) const {
      _mm512_storeu_si512(to, _mm512_xor_si512(_mm512_loadu_si512(from), flip));
    }
    // A 4 x 16 transpose of bytes: first of words across the 128-bit pieces, then within them.
    void interleave(uint8_t* to, const uint8_t* const from[4]) const {
      I x = _mm512_castsi128_si512(load128(from[0]));
      x = _mm512_inserti32x4(x, load128(from[1]), 1);
      x = _mm512_inserti32x4(x, load128(from[2]), 2);
      x = _mm512_inserti32x4(x, load128(from[3]), 3);
      x = _mm512_xor_si512(x, flip);
      x = _mm512_shuffle_epi8(_mm512_permutexvar_epi32(dwords, x), bytes);
      _mm512_storeu_si512(to, x);
    }
    // Four vectors; byte and word interleaving within 128-bit pieces gives their order of channels.
    void interleave4(uint8_t* to, const uint8_t* const from[4]) const {
      const I a = load_flipped(from[0]), b = load_flipped(from[1]);
      const I c = load_flipped(from[2]), d = load_flipped(from[3]);
      const I ab = _mm512_unpacklo_epi8(a, b), cd = _mm512_unpacklo_epi8(c, d);
      const I AB = _mm512_unpackhi_epi8(a, b), CD = _mm512_unpackhi_epi8(c, d);
      _mm512_storeu_si512(to, _mm512_unpacklo_epi16(ab, cd));
      _mm512_storeu_si512(to + 64, _mm512_unpackhi_epi16(ab, cd));
      _mm512_storeu_si512(to + 128, _mm512_unpacklo_epi16(AB, CD));
      _mm512_storeu_si512(to + 192, _mm512_unpackhi_epi16(AB, CD));
    }
    I load_flipped(const uint8_t* p) const { return _mm512_xor_si512(_mm512_loadu_si512(p), flip); }
    static __m128i load128(const uint8_t* p) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    }
  };
};

// Saturates results to bytes, clamps and stores them.
struct Narrow {
  __m512i lowest, highest, flip;

  explicit Narrow(const TailTable& tail)
      : lowest(_mm512_set1_epi8(tail.act_min)),
        highest(_mm512_set1_epi8(tail.act_max)),
        flip(_mm512_set1_epi8(static_cast<char>(tail.flip))) {}

  // The 128-bit piece L of the result has words 4L to 4L + 3 of a, b, c and d.
  __m512i bytes(__m512i a, __m512i b, __m512i c, __m512i d) const {
    const __m512i x = _mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
    return _mm512_xor_si512(_mm512_min_epi8(_mm512_max_epi8(x, lowest), highest), flip);
  }

  // Two pixels of two vectors each.
  void store2(__m512i a0, __m512i a1, __m512i b0, __m512i b1, uint8_t* a, uint8_t* b,
              int channels) const {
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    const __m512i x = _mm512_permutexvar_epi64(order, bytes(a0, a1, b0, b1));
    const __m256i first = _mm512_castsi512_si256(x), second = _mm512_extracti64x4_epi64(x, 1);
    if (channels == 32) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(a), first);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(b), second);
    } else {
      const auto mask = static_cast<__mmask32>((1ULL << channels) - 1);
      _mm256_mask_storeu_epi8(a, mask, first);
      _mm256_mask_storeu_epi8(b, mask, second);
    }
  }

  // One pixel of four vectors.
  void store4(__m512i a, __m512i b, __m512i c, __m512i d, uint8_t* to) const {
    _mm512_storeu_si512(to, bytes(a, b, c, d));
  }

  // `count` pixels, at most the four, of one vector each.
  void store1(__m512i p0, __m512i p1, __m512i p2, __m512i p3, uint8_t* to, std::ptrdiff_t stride,
              int count, int channels) const {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i x = _mm512_permutexvar_epi32(order, bytes(p0, p1, p2, p3));
    const auto mask = static_cast<__mmask16>((1U << channels) - 1);
    if (count >= 4 && stride == 16) {
      _mm512_storeu_si512(to, x);
      return;
    }
    _mm_mask_storeu_epi8(to, mask, _mm512_castsi512_si128(x));
    if (count > 1) _mm_mask_storeu_epi8(to + stride, mask, _mm512_extracti32x4_epi32(x, 1));
    if (count > 2) _mm_mask_storeu_epi8(to + 2 * stride, mask, _mm512_extracti32x4_epi32(x, 2));
    if (count > 3) _mm_mask_storeu_epi8(to + 3 * stride, mask, _mm512_extracti32x4_epi32(x, 3));
  }
};

}  // namespace edgetwin::kernels::avx512_vnni
