// The inner product of dense layers of every width. Included once per instruction set, after Vec.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/x86/unroll.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

using I = Vec::I;

template <int M, int NV>
struct DenseSums {
  I at[M][NV];
};

// Pixel by pixel, its vectors side by side.
template <int M, int NV>
[[gnu::always_inline]] inline void store_sums(int32_t* to, const DenseSums<M, NV>& sums) {
  unroll<M>([&](auto m) EDGETWIN_INLINE {
    unroll<NV>([&](auto v) EDGETWIN_INLINE {
      Vec::store(to + (m.value * NV + v.value) * Vec::kLanes, sums.at[m.value][v.value]);
    });
  });
}

// From a pixel to its neighbours, in bytes.
struct PixelStrides {
  std::ptrdiff_t one, three;

  explicit PixelStrides(std::ptrdiff_t stride) : one(stride), three(stride * 3) {
    asm("" : "+r"(three));  // keep it in a register: not to be derived anew for every address
  }
};

// Adds the products of M pixels with NV vectors of channels over `steps` of 4 bytes, and returns
// where their weights end. Four pointers and the multiples 1, 2 and 3 of the pixel stride reach all
// pixels of the tile with the addressing modes of the processor.
template <int M, int NV, class Dot>
[[gnu::always_inline]] inline const int8_t* multiply_run(const uint8_t* q0, int steps,
                                                         const PixelStrides& strides,
                                                         const int8_t* weights,
                                                         DenseSums<M, NV>& sums, const Dot& dot) {
  const std::ptrdiff_t stride = strides.one, stride3 = strides.three;
  const uint8_t* q1 = q0 + 4 * stride;
  const uint8_t* q2 = q1 + 4 * stride;
  const uint8_t* q3 = q2 + 4 * stride;
  for (int step = 0; step < steps; ++step) {
    I w[NV];
    unroll<NV>([&](auto v) EDGETWIN_INLINE {
      w[v.value] = Vec::load_bytes(weights + v.value * Vec::kBytes);
    });
    unroll<M>([&](auto m) EDGETWIN_INLINE {
      constexpr int i = m.value;
      const uint8_t* q = i < 4 ? q0 : i < 8 ? q1 : i < 12 ? q2 : q3;
      const I x = Vec::broadcast4(q + (i % 4 == 3 ? stride3 : i % 4 * stride));
      unroll<NV>([&](auto v) EDGETWIN_INLINE {
        sums.at[i][v.value] = dot(sums.at[i][v.value], x, w[v.value]);
      });
    });
    weights += NV * Vec::kBytes;
    q0 += 4;
    q1 += 4;
    q2 += 4;
    q3 += 4;
  }
  unroll<M>([&](auto m) EDGETWIN_INLINE {
    unroll<NV>([&](auto v) EDGETWIN_INLINE { Vec::settle(sums.at[m.value][v.value]); });
  });
  return weights;
}

// The same of bytes: by Vec::matrix_run, if there is one, for more pixels than one; else by `dot`.
template <int M, int NV, class V = Vec, class Dot>
[[gnu::always_inline]] inline const int8_t* multiply_bytes(const uint8_t* from, int steps,
                                                           const PixelStrides& strides,
                                                           const int8_t* weights,
                                                           DenseSums<M, NV>& sums, const Dot& dot) {
  if constexpr (M > 1 && requires { typename V::Matrix; }) {
    return V::Matrix::template run<M, NV>(from, steps, strides, weights, sums);
  } else {
    return multiply_run<M, NV>(from, steps, strides, weights, sums, dot);
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
