// Vectors of AVX2. Its dot product of bytes saturates sums of two, so that elements are widened to
// 16 bits, less their zero point, and multiplied by vpmaddwd, which is exact.
#pragma once

#define EDGETWIN_ISA_NAMESPACE avx2
#include "kernels/x86/vec256.h"

namespace edgetwin::kernels::avx2 {

struct Vec : Vec256 {
  static constexpr int kTaps = 2;
  static constexpr int kElementBytes = 2;
  static constexpr int kEncoded = 16;

  static I dot(I sum, I x, I w) { return _mm256_add_epi32(sum, _mm256_madd_epi16(x, w)); }

  // For elements of 16 bits. The sum of two words' products wraps where all are -2^15, as all sums
  // here may. Seven upper bits times a byte: the sums of two, at most 127 * 128 * 2, fit 16 bits.
  static constexpr int kHighShift = 9;
  static I dot_words(I sum, I x, I w) { return dot(sum, x, w); }
  static I dot_bytes(I sum, I x, I w) {
    const I pairs = _mm256_madd_epi16(_mm256_maddubs_epi16(x, w), _mm256_set1_epi16(1));
    return _mm256_add_epi32(sum, pairs);
  }
  static void encode_words(uint8_t* to, const int16_t* from) { encode_upper(to, from, kHighShift); }

  static constexpr int kLaneScale = 4;
  static I first_lane_weights(I w) { return _mm256_and_si256(w, _mm256_set1_epi32(0xFFFF)); }
  static I second_lane_weights(I w) { return _mm256_andnot_si256(_mm256_set1_epi32(0xFFFF), w); }
  static I lane_step(I sum, I x, I w) {
    constexpr int32_t limit = 1 << (19 + kLaneScale);
    return clamp(dot_words(sum, x, w), broadcast(-limit), broadcast(limit - (1 << kLaneScale)));
  }

  // Sixteen bytes as words.
  template <bool Signed>
  static I widen16(const uint8_t* p) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return Signed ? _mm256_cvtepi8_epi16(x) : _mm256_cvtepu8_epi16(x);
  }

  struct Encoder {
    __m128i flip;
    __m256i zero_point;
    explicit Encoder(const InputEncoding& e)
        : flip(_mm_set1_epi8(static_cast<char>(e.flip))),
          zero_point(_mm256_set1_epi16(e.zero_point)) {}

    void encode(uint8_t* to, const uint8_t* from) const {
      const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
      const I wide = _mm256_cvtepu8_epi16(_mm_xor_si128(x, flip));
      _mm256_storeu_si256(reinterpret_cast<I*>(to), _mm256_sub_epi16(wide, zero_point));
    }
    void interleave(uint8_t* to, const uint8_t* const from[2]) const {
      const __m128i x = _mm_unpacklo_epi8(load64(from[0]), load64(from[1]));
      encode(to, x);
    }
    void encode(uint8_t* to, __m128i x) const {
      const I wide = _mm256_cvtepu8_epi16(_mm_xor_si128(x, flip));
      _mm256_storeu_si256(reinterpret_cast<I*>(to), _mm256_sub_epi16(wide, zero_point));
    }
    // Four vectors; interleaving within 128-bit pieces gives their order of channels.
    void interleave4(uint8_t* to, const uint8_t* const from[2]) const {
      const I a = load_flipped(from[0]), b = load_flipped(from[1]);
      const I low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
      const I zero = _mm256_setzero_si256();
      store_wide(to, _mm256_unpacklo_epi8(low, zero));
      store_wide(to + 32, _mm256_unpackhi_epi8(low, zero));
      store_wide(to + 64, _mm256_unpacklo_epi8(high, zero));
      store_wide(to + 96, _mm256_unpackhi_epi8(high, zero));
    }
    I load_flipped(const uint8_t* p) const {
      return _mm256_xor_si256(load_bytes(p), _mm256_broadcastsi128_si256(flip));
    }
    void store_wide(uint8_t* to, I wide) const {
      _mm256_storeu_si256(reinterpret_cast<I*>(to), _mm256_sub_epi16(wide, zero_point));
    }
    static __m128i load64(const uint8_t* p) {
      return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    }
  };
};

}  // namespace edgetwin::kernels::avx2
