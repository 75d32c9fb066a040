// Products of two pixels with two channels, 8 bytes deep (usmmla), for tiles of more than one
// pixel. Weights lie as for the dot product. Included after Vec, before the templates of
// kernels/x86.
#pragma once

#include "kernels/arm/neon_i8mm/vec.h"
#include "kernels/x86/multiply_run.h"

namespace edgetwin::kernels::neon_i8mm {

// Sums in the order of the instruction: pixels a and b by channels c and d are ac, ad, bc, bd. The
// last of an odd number of pixels makes a pair with itself.
template <int M, int NV>
struct MatrixSums {
  I at[(M + 1) / 2][2 * NV];
};

inline I low_halves(I a, I b) {
  return vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}
inline I high_halves(I a, I b) {
  return vreinterpretq_s32_s64(vzip2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

template <int M, int NV>
[[gnu::always_inline]] inline void to_matrix(const DenseSums<M, NV>& sums, MatrixSums<M, NV>& to) {
  unroll<(M + 1) / 2>([&](auto pair) EDGETWIN_INLINE {
    constexpr int a = pair.value * 2, b = a + 1 < M ? a + 1 : a;
    unroll<NV>([&](auto v) EDGETWIN_INLINE {
      to.at[pair.value][2 * v.value] = low_halves(sums.at[a][v.value], sums.at[b][v.value]);
      to.at[pair.value][2 * v.value + 1] = high_halves(sums.at[a][v.value], sums.at[b][v.value]);
    });
  });
}

template <int M, int NV>
[[gnu::always_inline]] inline void from_matrix(const MatrixSums<M, NV>& from,
                                               DenseSums<M, NV>& sums) {
  unroll<M>([&](auto m) EDGETWIN_INLINE {
    unroll<NV>([&](auto v) EDGETWIN_INLINE {
      const I c = from.at[m.value / 2][2 * v.value], d = from.at[m.value / 2][2 * v.value + 1];
      sums.at[m.value][v.value] = m.value % 2 == 0 ? low_halves(c, d) : high_halves(c, d);
    });
  });
}

// 8 bytes of two pixels. Of 4 bytes the others are 0, as their weights are.
struct EightBytes {
  static I pixels(const uint8_t* a, const uint8_t* b) {
    return vreinterpretq_s32_u8(vcombine_u8(vld1_u8(a), vld1_u8(b)));
  }
  static I next(const int8_t* weights) { return Vec::load_bytes(weights); }
};
struct FourBytes {
  static I pixels(const uint8_t* a, const uint8_t* b) {
    int32_t of_a, of_b;
    __builtin_memcpy(&of_a, a, sizeof of_a);
    __builtin_memcpy(&of_b, b, sizeof of_b);
    return I{of_a, 0, of_b, 0};
  }
  static I next(const int8_t*) { return vdupq_n_s32(0); }
};

// The pixels of a tile: of each a pointer of its own, as the loads of halves have no offsets.
template <int M>
struct TilePointers {
  const uint8_t* at[M];

  TilePointers(const uint8_t* first, std::ptrdiff_t stride) {
    unroll<M>([&](auto m) EDGETWIN_INLINE { at[m.value] = first + m.value * stride; });
  }
};

// The products of 8 bytes, or of the last 4, whose weights are two steps or one.
template <class Bytes, int M, int NV>
[[gnu::always_inline]] inline void matrix_step(const TilePointers<M>& from, const int8_t* weights,
                                               MatrixSums<M, NV>& sums) {
  I w[2 * NV];
  unroll<NV>([&](auto v) EDGETWIN_INLINE {
    const I step = Vec::load_bytes(weights + v.value * Vec::kBytes);
    const I next = Bytes::next(weights + (NV + v.value) * Vec::kBytes);
    w[2 * v.value] = vzip1q_s32(step, next);
    w[2 * v.value + 1] = vzip2q_s32(step, next);
  });
  unroll<(M + 1) / 2>([&](auto pair) EDGETWIN_INLINE {
    constexpr int a = pair.value * 2, b = a + 1 < M ? a + 1 : a;
    const I x = Bytes::pixels(from.at[a], from.at[b]);
    unroll<2 * NV>([&](auto c) EDGETWIN_INLINE {
      I& sum = sums.at[pair.value][c.value];
      sum = vusmmlaq_s32(sum, vreinterpretq_u8_s32(x), vreinterpretq_s8_s32(w[c.value]));
    });
  });
}

struct Vec::Matrix {
  // As multiply_run.
  template <int M, int NV>
  [[gnu::always_inline]] static const int8_t* run(const uint8_t* first, int steps,
                                                  const PixelStrides& strides,
                                                  const int8_t* weights, DenseSums<M, NV>& all) {
    MatrixSums<M, NV> sums;
    to_matrix(all, sums);
    TilePointers<M> from(first, strides.one);
    for (; steps >= 2; steps -= 2, weights += 2 * NV * Vec::kBytes) {
      matrix_step<EightBytes>(from, weights, sums);
      unroll<M>([&](auto m) EDGETWIN_INLINE { from.at[m.value] += 8; });
    }
    if (steps > 0) {
      matrix_step<FourBytes>(from, weights, sums);
      weights += NV * Vec::kBytes;
    }
    from_matrix(sums, all);
    return weights;
  }
};

}  // namespace edgetwin::kernels::neon_i8mm
