// Depthwise layers with 3x3 windows whose taps are read where they are, without a copy: two vectors
// of channels, two to four neighbouring outputs at a time. Included once per instruction set, after
// Vec and depthwise.h.
#pragma once

#include "kernels/x86/depthwise.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// Where a row of the windows of some outputs is: `first` and `last` are its outermost columns,
// which may be padding, the others are from `at` on, `step` bytes apart.
struct DirectTaps {
  const uint8_t* at;
  std::ptrdiff_t step;
  const uint8_t* first;
  const uint8_t* last;

  DirectTaps(const DirectDepthwise& d, const DirectRow& row, int column, int columns) {
    at = row.at + d.channel + column * row.step;
    step = row.step;
    first = column < 0 ? d.pad : at;
    last = column + columns > d.columns ? d.pad : at + (columns - 1) * row.step;
  }
};

// The sums of N neighbouring outputs, the windows of which begin at `column`.
template <int N, int Stride, bool Signed>
void direct_sums(const DirectDepthwise& d, const DirectRow* rows, int column, I (*to)[2]) {
  constexpr int columns = (N - 1) * Stride + 3;
  constexpr int phases = 2 / Stride;
  constexpr std::ptrdiff_t group = 2 * Vec::kBytes, row_weights = 2 * group;
  I sums[N][2];
  unroll<2>([&](auto v) EDGETWIN_INLINE {
    const I bias = Vec::load(d.bias + v.value * Vec::kLanes);
    unroll<N>([&](auto i) EDGETWIN_INLINE { sums[i.value][v.value] = bias; });
  });
  const int8_t* weights = d.weights;
#pragma GCC unroll 1
  for (int ky = 0; ky < 3; ++ky, weights += row_weights) {
    const DirectTaps taps(d, rows[ky], column, columns);
    unroll<(columns + 1) / 2>([&](auto at) EDGETWIN_INLINE {
      constexpr int p = at.value, left = 2 * p, right = 2 * p + 1;
      const I a = Vec::template widen16<Signed>(left == 0             ? taps.first
                                                : left == columns - 1 ? taps.last
                                                                      : taps.at + left * taps.step);
      I b = a;
      if constexpr (right < columns) {
        b = Vec::template widen16<Signed>(right == columns - 1 ? taps.last
                                                               : taps.at + right * taps.step);
      }
      const I pair[2] = {Vec::interleave_low(a, b), Vec::interleave_high(a, b)};
      unroll<N>([&](auto o) EDGETWIN_INLINE {
        constexpr int i = o.value, g = p - i / phases;
        if constexpr (g == 0 || g == 1) {
          const int8_t* w = weights + i % phases * 3 * row_weights + g * group;
          unroll<2>([&](auto v) EDGETWIN_INLINE {
            constexpr int n = v.value;
            sums[i][n] = Vec::dot(sums[i][n], pair[n], Vec::load_bytes(w + n * Vec::kBytes));
          });
        }
      });
    });
  }
  unroll<N>([&](auto i) EDGETWIN_INLINE {
    to[i.value][0] = sums[i.value][0];
    to[i.value][1] = sums[i.value][1];
  });
}

template <class Tail>
void direct_finish(const DirectDepthwise& d, I (*sums)[2], int pixels, uint8_t* out) {
  constexpr int words = Vec::kLanes * kTailRows;
  const Narrow narrow(*d.tail);
  const Tail low(*d.tail, d.tail_words), high(*d.tail, d.tail_words + words);
  for (; pixels > 0; pixels -= 2, sums += 2, out += 2 * d.out_stride) {
    const bool two = pixels > 1;
    const I a = finish_sum(low, sums[0][0], true), b = finish_sum(high, sums[0][1], true);
    const I x = finish_sum(low, sums[1][0], two), y = finish_sum(high, sums[1][1], two);
    // The one that exists is stored last.
    narrow.store2(x, y, a, b, two ? out + d.out_stride : out, out, 2 * Vec::kLanes);
  }
}

template <int Stride, bool Signed>
void direct_rows(const DirectDepthwise& d) {
  constexpr int kRun = 16;
  using Finish = void (*)(const DirectDepthwise&, I(*)[2], int, uint8_t*);
  const Finish finish =
      with_tail(d.tail->kind, []<class Tail>() -> Finish { return direct_finish<Tail>; });
  I sums[kRun][2];
  uint8_t* out = d.out;
  const DirectRow* rows = d.rows;
  for (int r = 0; r < d.row_count; ++r, rows += 3) {
    int x = 0;
    for (int groups = (d.pixels + 3) / 4; groups > 0;) {
      int held = 0;
      for (; groups > 0 && held <= kRun - 4; --groups) {
        const int n = (d.pixels - x - held + groups - 1) / groups;
        const int column = (x + held) * Stride - d.pad_left;
        if (n == 4) {
          direct_sums<4, Stride, Signed>(d, rows, column, sums + held);
        } else if (n == 3) {
          direct_sums<3, Stride, Signed>(d, rows, column, sums + held);
        } else {
          direct_sums<2, Stride, Signed>(d, rows, column, sums + held);
        }
        held += n;
      }
      finish(d, sums, held, out);
      out += held * d.out_stride;
      x += held;
    }
  }
}

inline void direct_depthwise(const DirectDepthwise& d) {
  if (d.stride == 1) {
    d.is_signed ? direct_rows<1, true>(d) : direct_rows<1, false>(d);
  } else {
    d.is_signed ? direct_rows<2, true>(d) : direct_rows<2, false>(d);
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
