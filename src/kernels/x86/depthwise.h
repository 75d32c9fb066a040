// Depthwise layers: one vector of channels, four outputs of a row at a time, over rows whose taps
// lie interleaved (interleave.h). Included once per instruction set, after Vec and tails.h.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/x86/tails.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// Sizes known at compile time; 0: taken from the row.
template <int Height, int Groups, int Planes>
struct Sizes {
  int height, groups, planes;
  explicit Sizes(const DepthwiseRow& row)
      : height(Height != 0 ? Height : row.kernel_h),
        groups(Groups != 0 ? Groups : row.groups),
        planes(Planes != 0 ? Planes : row.planes) {}
};

// Sums of the outputs x to x + 3; x is a multiple of 4.
template <class S, int Phases>
[[gnu::always_inline]] inline void depthwise_sums(const DepthwiseRow& row, const S& size, int x,
                                                  I bias, I sums[4]) {
  const std::ptrdiff_t position = static_cast<std::ptrdiff_t>(size.groups) * Vec::kBytes;
  const std::ptrdiff_t phase =
      static_cast<std::ptrdiff_t>(size.height) * size.groups * size.planes * Vec::kBytes;
  sums[0] = sums[1] = sums[2] = sums[3] = bias;
  const int8_t* weights = row.weights;
#pragma GCC unroll 3
  for (int ky = 0; ky < size.height; ++ky) {
    const uint8_t* from = row.rows[ky] + x / Phases * position;
#pragma GCC unroll 2
    for (int g = 0; g < size.groups; ++g, from += Vec::kBytes) {
      I taps[4 / Phases];
#pragma GCC unroll 4
      for (int i = 0; i < 4 / Phases; ++i) taps[i] = Vec::load_bytes(from + i * position);
#pragma GCC unroll 2
      for (int p = 0; p < size.planes; ++p, weights += Vec::kBytes) {
        const I w0 = Vec::load_bytes(weights);
        const I w1 = Phases == 2 ? Vec::load_bytes(weights + phase) : w0;
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
          sums[i] = Vec::dot(sums[i], taps[i / Phases], i % Phases == 0 ? w0 : w1);
        }
      }
    }
  }
}

template <class S, int Phases, class Tail>
void depthwise_row(const DepthwiseRow& row) {
  const S size(row);
  const Tail tail(*row.tail, row.tail->words);
  const Narrow narrow(*row.tail);
  const I bias = Vec::load(row.bias);
  for (int x = 0; x < row.pixels; x += 4) {
    I sums[4];
    depthwise_sums<S, Phases>(row, size, x, bias, sums);
    const int count = row.pixels - x < 4 ? row.pixels - x : 4;
    narrow.store1(tail(sums[0]), tail(sums[1]), tail(sums[2]), tail(sums[3]),
                  row.out + x * row.out_stride, row.out_stride, count, row.channels);
  }
}

template <class S, class Tail>
void depthwise_phases(const DepthwiseRow& row) {
  if (row.phases == 2) {
    depthwise_row<S, 2, Tail>(row);
  } else {
    depthwise_row<S, 1, Tail>(row);
  }
}

template <class Tail>
void depthwise_sizes(const DepthwiseRow& row) {
  constexpr int groups = 4 / Vec::kTaps;  // of three taps
  if (row.kernel_h == 3 && row.groups == groups && row.planes == 1) {
    depthwise_phases<Sizes<3, groups, 1>, Tail>(row);
  } else if (row.kernel_h == 3 && row.groups == groups && row.planes == 2) {
    depthwise_phases<Sizes<3, groups, 2>, Tail>(row);
  } else {
    depthwise_phases<Sizes<0, 0, 0>, Tail>(row);
  }
}

inline void depthwise(const DepthwiseRow& row) {
  switch (row.tail->kind) {
    case TailKind::right_shift: return depthwise_sizes<RightShift>(row);
    case TailKind::both_shifts: return depthwise_sizes<BothShifts>(row);
    case TailKind::signed_double: return depthwise_sizes<SignedDouble>(row);
    case TailKind::general: return depthwise_sizes<General>(row);
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
