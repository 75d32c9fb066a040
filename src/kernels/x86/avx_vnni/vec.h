// Vectors of AVX2 with AVX-VNNI: the dot product of four bytes in the encoding without masks.
#pragma once

#define EDGETWIN_ISA_NAMESPACE avx_vnni
#include "kernels/x86/vec256.h"

namespace edgetwin::kernels::avx_vnni {

struct Vec : Vec256 {
  static constexpr int kTaps = 4;
  static constexpr int kElementBytes = 1;
  static constexpr int kEncoded = 32;

  static I dot(I sum, I x, I w) { return _mm256_dpbusd_avx_epi32(sum, x, w); }

  // For elements of 16 bits: two words, or four bytes that are the upper ones of words.
  static constexpr int kHighShift = 8;
  static I dot_words(I sum, I x, I w) { return _mm256_dpwssd_avx_epi32(sum, x, w); }
  static I dot_bytes(I sum, I x, I w) { return dot(sum, x, w); }
  static void encode_words(uint8_t* to, const int16_t* from) { encode_upper(to, from, kHighShift); }

  static constexpr int kLaneScale = 12;
  static I first_lane_weights(I w) {
    return _mm256_and_si256(_mm256_slli_epi16(w, 8), _mm256_set1_epi32(0xFFFF));
  }
  static I second_lane_weights(I w) {
    return _mm256_andnot_si256(_mm256_set1_epi32(0xFFFF), _mm256_slli_epi16(w, 8));
  }
  static I lane_step(I sum, I x, I w) { return _mm256_dpwssds_avx_epi32(sum, x, w); }

  struct Encoder {
    __m256i flip;
    explicit Encoder(const InputEncoding& e) : flip(_mm256_set1_epi8(static_cast<char>(e.flip))) {}

    void encode(uint8_t* to, const uint8_t* from) const {
      _mm256_storeu_si256(reinterpret_cast<I*>(to), _mm256_xor_si256(load_bytes(from), flip));
    }
    void interleave(uint8_t* to, const uint8_t* const from[4]) const {
      const __m128i ab = _mm_unpacklo_epi8(load64(from[0]), load64(from[1]));
      const __m128i cd = _mm_unpacklo_epi8(load64(from[2]), load64(from[3]));
      const I x = _mm256_set_m128i(_mm_unpackhi_epi16(ab, cd), _mm_unpacklo_epi16(ab, cd));
      _mm256_storeu_si256(reinterpret_cast<I*>(to), _mm256_xor_si256(x, flip));
    }
    // Four vectors; byte and word interleaving within 128-bit pieces gives their order of channels.
    void interleave4(uint8_t* to, const uint8_t* const from[4]) const {
      const I a = load_flipped(from[0]), b = load_flipped(from[1]);
      const I c = load_flipped(from[2]), d = load_flipped(from[3]);
      const I ab = _mm256_unpacklo_epi8(a, b), cd = _mm256_unpacklo_epi8(c, d);
      const I AB = _mm256_unpackhi_epi8(a, b), CD = _mm256_unpackhi_epi8(c, d);
      I* all = reinterpret_cast<I*>(to);
      _mm256_storeu_si256(all, _mm256_unpacklo_epi16(ab, cd));
      _mm256_storeu_si256(all + 1, _mm256_unpackhi_epi16(ab, cd));
      _mm256_storeu_si256(all + 2, _mm256_unpacklo_epi16(AB, CD));
      _mm256_storeu_si256(all + 3, _mm256_unpackhi_epi16(AB, CD));
    }
    I load_flipped(const uint8_t* p) const { return _mm256_xor_si256(load_bytes(p), flip); }
    static __m128i load64(const uint8_t* p) {
      return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    }
  };
};

}  // namespace edgetwin::kernels::avx_vnni
