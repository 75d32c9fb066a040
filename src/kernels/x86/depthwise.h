// Depthwise layers: one vector of channels, four outputs of a row at a time, over rows whose taps
// lie interleaved (interleave.h). Included once per instruction set, after Vec and tails.h.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/x86/tails.h"
#include "kernels/x86/unroll.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// Sizes known at compile time; 0: taken from the row.
template <int Height, int Groups, int FirstGroups, int Planes>
struct Sizes {
  int height, groups, first_groups, planes;
  explicit Sizes(const DepthwiseRows& row)
      : height(Height != 0 ? Height : row.kernel_h),
        groups(Groups != 0 ? Groups : row.groups),
        first_groups(FirstGroups != 0 ? FirstGroups : row.first_groups),
        planes(Planes != 0 ? Planes : row.planes) {}
};

// Sums of the N outputs from x on; both are multiples of Phases.
template <int N, class S, int Phases>
[[gnu::always_inline]] inline void depthwise_sums(const DepthwiseRows& row, const S& size,
                                                  const uint8_t* const* inputs, int x, I bias,
                                                  I sums[N]) {
  const std::ptrdiff_t position = (row.overlap ? 1 : size.groups) * Vec::kBytes;
  const std::ptrdiff_t phase =
      static_cast<std::ptrdiff_t>(size.height) * size.groups * size.planes * Vec::kBytes;
  unroll<N>([&](auto i) EDGETWIN_INLINE { sums[i.value] = bias; });
  const int8_t* weights = row.weights;
#pragma GCC unroll 3
  for (int ky = 0; ky < size.height; ++ky) {
    const uint8_t* from = inputs[ky] + x / Phases * position;
#pragma GCC unroll 2
    for (int g = 0; g < size.groups; ++g, from += Vec::kBytes) {
      I taps[N / Phases];
      unroll<N / Phases>([&](auto i) EDGETWIN_INLINE {
        taps[i.value] = Vec::load_bytes(from + i.value * position);
      });
#pragma GCC unroll 2
      for (int p = 0; p < size.planes; ++p, weights += Vec::kBytes) {
        const I w0 = Vec::load_bytes(weights);
        const I w1 = Phases == 2 ? Vec::load_bytes(weights + phase) : w0;
        unroll<N>([&](auto at) EDGETWIN_INLINE {
          constexpr int i = at.value;
          if (i % Phases == 0 && g >= size.first_groups) return;
          sums[i] = Vec::dot(sums[i], taps[i / Phases], i % Phases == 0 ? w0 : w1);
        });
      }
    }
  }
}

template <class S, int Phases, class Tail>
void depthwise_rows(const DepthwiseRows& row) {
  const S size(row);
  const Tail tail(*row.tail, row.tail_words);
  const Narrow narrow(*row.tail);
  const I bias = Vec::load(row.bias);
  const uint8_t* const* inputs = row.inputs;
  uint8_t* out = row.out;
  for (int r = 0; r < row.rows; ++r, inputs += size.height) {
    int x = 0;
    for (; row.pixels - x > 2; x += 4, out += 4 * row.out_stride) {
      I sums[4];
      depthwise_sums<4, S, Phases>(row, size, inputs, x, bias, sums);
      narrow.store1(tail(sums[0]), tail(sums[1]), tail(sums[2]), tail(sums[3]), out,
                    row.out_stride, row.pixels - x, row.channels);
    }
    if (x < row.pixels) {
      I sums[2];
      depthwise_sums<2, S, Phases>(row, size, inputs, x, bias, sums);
      const I a = tail(sums[0]), b = tail(sums[1]);
      narrow.store1(a, b, a, b, out, row.out_stride, row.pixels - x, row.channels);
    }
    out += (row.pixels - x) * row.out_stride;
  }
}

template <class Tail>
void depthwise_sizes(const DepthwiseRows& row) {
  if (row.kernel_h != 3 || row.groups > 2 || row.planes > 2) {
    if (row.phases == 2) return depthwise_rows<Sizes<0, 0, 0, 0>, 2, Tail>(row);
    return depthwise_rows<Sizes<0, 0, 0, 0>, 1, Tail>(row);
  }
  const bool two = row.planes == 2;
  if (row.phases == 1) {
    if (row.groups == 1) {
      return two ? depthwise_rows<Sizes<3, 1, 1, 2>, 1, Tail>(row)
                 : depthwise_rows<Sizes<3, 1, 1, 1>, 1, Tail>(row);
    }
    return two ? depthwise_rows<Sizes<3, 2, 2, 2>, 1, Tail>(row)
               : depthwise_rows<Sizes<3, 2, 2, 1>, 1, Tail>(row);
  }
  if (row.groups == 1) {
    return two ? depthwise_rows<Sizes<3, 1, 1, 2>, 2, Tail>(row)
               : depthwise_rows<Sizes<3, 1, 1, 1>, 2, Tail>(row);
  }
  if (row.first_groups == 1) {
    return two ? depthwise_rows<Sizes<3, 2, 1, 2>, 2, Tail>(row)
               : depthwise_rows<Sizes<3, 2, 1, 1>, 2, Tail>(row);
  }
  return two ? depthwise_rows<Sizes<3, 2, 2, 2>, 2, Tail>(row)
             : depthwise_rows<Sizes<3, 2, 2, 1>, 2, Tail>(row);
}

inline void depthwise(const DepthwiseRows& row) {
  switch (row.tail->kind) {
    case TailKind::right_shift: return depthwise_sizes<RightShift>(row);
    case TailKind::both_shifts: return depthwise_sizes<BothShifts>(row);
    case TailKind::signed_double: return depthwise_sizes<SignedDouble>(row);
    case TailKind::general: return depthwise_sizes<General>(row);
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
