// Vectors of NEON: 4 sums of 32 bits. Included once per instruction set, within its own namespace.
#pragma once

#include <arm_neon.h>

#include "kernels/core/table8.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

struct Vec128 {
  using I = int32x4_t;
  static constexpr int kLanes = 4;
  static constexpr int kBytes = 16;
  static constexpr int kTaps = 4;
  static constexpr int kElementBytes = 1;
  static constexpr int kEncoded = 16;
  static constexpr int kTilePixels = 8;  // 16 sums, 2 weights, 1 input of 32 registers

  static I load_bytes(const void* p) {
    return vreinterpretq_s32_u8(vld1q_u8(static_cast<const uint8_t*>(p)));
  }
  static I load(const int32_t* p) { return vld1q_s32(p); }
  static void store(int32_t* p, I x) { vst1q_s32(p, x); }
  static I broadcast(int32_t x) { return vdupq_n_s32(x); }
  static I broadcast4(const uint8_t* p) {
    int32_t word;
    __builtin_memcpy(&word, p, sizeof word);
    return vdupq_n_s32(word);
  }
  // See Vec256 of kernels/x86.
  static void settle(I& x) { asm("" : "+w"(x)); }

  static I add(I a, I b) { return vaddq_s32(a, b); }
  static I subtract(I a, I b) { return vsubq_s32(a, b); }
  static I shift_left(I x, I by) { return vshlq_s32(x, by); }
  static I shift_right(I x, I by) { return vshlq_s32(x, vnegq_s32(by)); }
  static I shift_right_unsigned(I x, I by) {
    return vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(x), vnegq_s32(by)));
  }
  // y without the bits of `clear` in the lanes where x & mask is zero.
  static I clear_where_zero(I y, I clear, I x, I mask) {
    const uint32x4_t zero = vceqzq_s32(vandq_s32(x, mask));
    return vbicq_s32(y, vandq_s32(vreinterpretq_s32_u32(zero), clear));
  }

  // The float product of the Edge TPU.
  using F = float32x4_t;
  static F load_floats(const int32_t* p) { return vreinterpretq_f32_s32(vld1q_s32(p)); }
  static F broadcast_float(float x) { return vdupq_n_f32(x); }
  static F to_floats(I x) { return vcvtq_f32_s32(x); }
  static F multiply_floats(F a, F b) { return vmulq_f32(a, b); }
  static F clamp_floats(F x, F low, F high) { return vminq_f32(vmaxq_f32(x, low), high); }
  static I round_to_even(F x) { return vcvtnq_s32_f32(x); }
  // One bit per lane where x is one half away from the integer.
  static unsigned half_apart(F x, I integer) {
    const F distance = vabsq_f32(vsubq_f32(x, vcvtq_f32_s32(integer)));
    const uint32x4_t half = vceqq_f32(distance, vdupq_n_f32(0.5F));
    const uint32x4_t bits = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(half, bits));
  }

  // Products of lanes 0 and 2, of 64 bits.
  static I multiply_even(I a, I b) {
    return vreinterpretq_s32_s64(
        vmull_s32(vmovn_s64(vreinterpretq_s64_s32(a)), vmovn_s64(vreinterpretq_s64_s32(b))));
  }
  static I add64(I a, I b) {
    return vreinterpretq_s32_s64(vaddq_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
  }
  static I odd_lanes(I x) {
    return vreinterpretq_s32_u64(vshrq_n_u64(vreinterpretq_u64_s32(x), 32));
  }
  static I upper_halves(I even, I odd) { return vtrn2q_s32(even, odd); }

  static I bit_and(I a, I b) { return vandq_s32(a, b); }
  static I bit_or(I a, I b) { return vorrq_s32(a, b); }
  static I clamp(I x, I low, I high) { return vminq_s32(vmaxq_s32(x, low), high); }
  static int16x8_t words_of(I x) { return vreinterpretq_s16_s32(x); }
  // Pairs of words of a and b.
  static I interleave_low(I a, I b) {
    return vreinterpretq_s32_s16(vzip1q_s16(words_of(a), words_of(b)));
  }
  static I interleave_high(I a, I b) {
    return vreinterpretq_s32_s16(vzip2q_s16(words_of(a), words_of(b)));
  }
  static I broadcast_word(int16_t x) { return vreinterpretq_s32_s16(vdupq_n_s16(x)); }

  // Two words a lane. Products are exact, sums wrap.
  static I dot_words(I sum, I x, I w) {
    const int16x8_t a = words_of(x), b = words_of(w);
    const I low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
    return vaddq_s32(sum, vpaddq_s32(low, vmull_high_s16(a, b)));
  }

  // Saturates to 16 bits, clamps and stores the first `count` results; lane l of vector v is
  // channel 4v + l.
  static void store_words(int16_t* to, I a, I b, I low, I high, int count) {
    const int16x8_t x = vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
    const int16x8_t y = vminq_s16(vmaxq_s16(x, words_of(low)), words_of(high));
    if (count >= 8) {
      vst1q_s16(to, y);
    } else {
      int16_t all[8];
      vst1q_s16(all, y);
      for (int i = 0; i < count; ++i) to[i] = all[i];
    }
  }
  static void store_words(int16_t* to, I a, I low, I high, int count) {
    store_words(to, a, a, low, high, count < kLanes ? count : kLanes);
  }

  // The upper bytes of 16 words + 2^15.
  static constexpr int kHighShift = 8;
  static constexpr int kEncodedWords = 16;
  static void encode_words(uint8_t* to, const int16_t* from) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(from);
    const uint8x16_t upper = vuzp2q_u8(vld1q_u8(bytes), vld1q_u8(bytes + 16));
    vst1q_u8(to, veorq_u8(upper, vdupq_n_u8(0x80)));
  }

  // Lanes of 20 bits; see lanes_plan.cc. They stand four bits up, where clamping them is exact.
  static constexpr int kLanePixels = 8;  // 16 sums, 3 weights, 1 input, and limits
  static constexpr int kLaneScale = 4;
  static I first_lane_weights(I w) { return vandq_s32(w, vdupq_n_s32(0xFFFF)); }
  static I second_lane_weights(I w) { return vbicq_s32(w, vdupq_n_s32(0xFFFF)); }
  static I lane_step(I sum, I x, I w) {
    constexpr int32_t limit = 1 << (19 + kLaneScale);
    return clamp(dot_words(sum, x, w), broadcast(-limit), broadcast(limit - (1 << kLaneScale)));
  }
  static I widen(const int8_t* p) {
    int32_t four;
    __builtin_memcpy(&four, p, sizeof four);
    const int8x8_t bytes = vreinterpret_s8_s32(vdup_n_s32(four));
    return vmovl_s16(vget_low_s16(vmovl_s8(bytes)));
  }
  static void store_lanes(int8_t* to, I x, int count) {
    const int16x4_t words = vqmovn_s32(x);
    int8_t all[8];
    vst1_s8(all, vqmovn_s16(vcombine_s16(words, words)));
    for (int i = 0; i < count && i < kLanes; ++i) to[i] = all[i];
  }
  static int count_different(I a, I b, int from, int count) {
    const uint32x4_t bits = {1, 2, 4, 8};
    const unsigned equal = vaddvq_u32(vandq_u32(vceqq_s32(a, b), bits));
    return __builtin_popcount(~equal & ((1U << count) - (1U << from)));
  }

  static void copy_some(uint8_t* to, const uint8_t* from, int count) {
    for (int i = 0; i < kLanes; ++i) to[i] = i < count ? from[i] : uint8_t{0};
  }

  static int32_t sum_bytes(const uint8_t* p, int count) {
    uint32x4_t sum = vdupq_n_u32(0);
    for (; count >= 16; count -= 16, p += 16) {
      sum = vpadalq_u16(sum, vpaddlq_u8(vld1q_u8(p)));
    }
    auto total = static_cast<int32_t>(vaddvq_u32(sum));
    for (; count > 0; --count, ++p) total += *p;
    return total;
  }

  struct Encoder {
    uint8x16_t flip;
    explicit Encoder(const InputEncoding& e) : flip(vdupq_n_u8(e.flip)) {}

    void encode(uint8_t* to, const uint8_t* from) const {
      vst1q_u8(to, veorq_u8(vld1q_u8(from), flip));
    }
    // Four taps of four channels side by side.
    void interleave(uint8_t* to, const uint8_t* const from[4]) const {
      uint32_t words[4];
      for (int t = 0; t < 4; ++t) __builtin_memcpy(&words[t], from[t], sizeof(uint32_t));
      const uint8x16_t x = vreinterpretq_u8_u32(vld1q_u32(words));  // byte 4t + c
      static constexpr uint8_t kOrder[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
      vst1q_u8(to, veorq_u8(vqtbl1q_u8(x, vld1q_u8(kOrder)), flip));
    }
    // Four vectors: 16 channels in their order.
    void interleave4(uint8_t* to, const uint8_t* const from[4]) const {
      uint8x16x4_t x;
      for (int t = 0; t < 4; ++t) x.val[t] = veorq_u8(vld1q_u8(from[t]), flip);
      vst4q_u8(to, x);
    }
  };
};

// Saturates results to bytes, clamps and stores them.
struct Narrow {
  int8x16_t lowest, highest;
  uint8x16_t flip;

  explicit Narrow(const TailTable& tail)
      : lowest(vdupq_n_s8(tail.act_min)),
        highest(vdupq_n_s8(tail.act_max)),
        flip(vdupq_n_u8(tail.flip)) {}

  uint8x16_t bytes(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d) const {
    const int16x8_t low = vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
    const int16x8_t high = vcombine_s16(vqmovn_s32(c), vqmovn_s32(d));
    const int8x16_t x = vcombine_s8(vqmovn_s16(low), vqmovn_s16(high));
    return veorq_u8(vreinterpretq_u8_s8(vminq_s8(vmaxq_s8(x, lowest), highest)), flip);
  }
  // `count` bytes from byte `first` on.
  static void store_some(uint8_t* to, uint8x16_t x, int first, int count) {
    uint8_t all[16];
    vst1q_u8(all, x);
    for (int i = 0; i < count; ++i) to[i] = all[first + i];
  }

  // Two pixels of two vectors each.
  void store2(int32x4_t a0, int32x4_t a1, int32x4_t b0, int32x4_t b1, uint8_t* a, uint8_t* b,
              int channels) const {
    const uint8x16_t x = bytes(a0, a1, b0, b1);
    if (channels == 8) {
      vst1_u8(a, vget_low_u8(x));
      vst1_u8(b, vget_high_u8(x));
    } else {
      store_some(a, x, 0, channels);
      store_some(b, x, 8, channels);
    }
  }
  // One pixel of four vectors.
  void store4(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d, uint8_t* to) const {
    vst1q_u8(to, bytes(a, b, c, d));
  }
  // `count` pixels, at most the four, of one vector each.
  void store1(int32x4_t p0, int32x4_t p1, int32x4_t p2, int32x4_t p3, uint8_t* to,
              std::ptrdiff_t stride, int count, int channels) const {
    const uint8x16_t x = bytes(p0, p1, p2, p3);
    for (int p = 0; p < count && p < 4; ++p) store_some(to + p * stride, x, 4 * p, channels);
  }
};

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
