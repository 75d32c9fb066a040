// Depthwise layers of 16 bits: pairs of taps of two vectors of channels are interleaved in
// registers. Included once per instruction set, after Vec.
#pragma once

#include "kernels/core/table16.h"
#include "kernels/x86/tails16.h"
#include "kernels/x86/unroll.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// The sums of N neighbouring pixels.
template <int N>
struct Pixels16 {
  I low[N][2], high[N][2];
};

// Pairs: known at compile time, or 0.
template <int N, int Pairs, bool Split>
[[gnu::always_inline]] inline void multiply_pairs(const Depthwise16Row& row, int block,
                                                  std::ptrdiff_t offset, Pixels16<N>& sums) {
  const int32_t* low = row.low_start + block * 2 * Vec::kLanes;
  const int32_t* high = row.high_start + block * 2 * Vec::kLanes;
  unroll<N>([&](auto n) EDGETWIN_INLINE {
    unroll<2>([&](auto v) EDGETWIN_INLINE {
      sums.low[n.value][v.value] = Vec::load(low + v.value * Vec::kLanes);
      sums.high[n.value][v.value] =
          Split ? Vec::load(high + v.value * Vec::kLanes) : Vec::broadcast(0);
    });
  });
  const int pairs_of_taps = Pairs != 0 ? Pairs : row.tap_pairs;
  constexpr int pair_bytes = (Split ? 4 : 2) * Vec::kBytes;
  const int8_t* weights =
      row.weights + static_cast<std::ptrdiff_t>(block) * pairs_of_taps * pair_bytes;
#pragma GCC unroll 5
  for (int p = 0; p < pairs_of_taps; ++p, weights += pair_bytes) {
    const int16_t* a = row.taps[2 * p] + offset;
    const int16_t* b = row.taps[2 * p + 1] + offset;
    unroll<N>([&](auto n) EDGETWIN_INLINE {
      const I x = Vec::load_bytes(a + n.value * row.stride);
      const I y = Vec::load_bytes(b + n.value * row.stride);
      const I pairs[2] = {Vec::interleave_low(x, y), Vec::interleave_high(x, y)};
      unroll<2>([&](auto v) EDGETWIN_INLINE {
        I& l = sums.low[n.value][v.value];
        l = Vec::dot_words(l, pairs[v.value], Vec::load_bytes(weights + v.value * Vec::kBytes));
        if constexpr (Split) {
          I& h = sums.high[n.value][v.value];
          h = Vec::dot_words(h, pairs[v.value],
                             Vec::load_bytes(weights + (2 + v.value) * Vec::kBytes));
        }
      });
    });
  }
}

template <int N, int Pairs, bool Split, class Tail>
[[gnu::always_inline]] inline void depthwise16_pixels(const Depthwise16Row& row, int block,
                                                      int first, int x, const Tail& a,
                                                      const Tail& b) {
  const int channel = row.gathered ? 0 : first;
  Pixels16<N> sums;
  multiply_pairs<N, Pairs, Split>(row, block, channel + x * row.stride, sums);
  const Tail16Table& table = *row.tail;
  const I lowest = Vec::broadcast_word(table.act_min), highest = Vec::broadcast_word(table.act_max);
  unroll<N>([&](auto n) EDGETWIN_INLINE {
    Vec::store_words(row.out + channel + (x + n.value) * row.out_stride,
                     a(sums.low[n.value][0], sums.high[n.value][0]),
                     b(sums.low[n.value][1], sums.high[n.value][1]), lowest, highest,
                     2 * Vec::kLanes);
  });
}

template <int Pairs, bool Split, class Tail>
void depthwise16_rows(const Depthwise16Row& row) {
  constexpr int lanes = 2 * Vec::kLanes;
  for (int block = row.block_begin; block < row.block_end; ++block) {
    const int last = row.channels - lanes;
    const int first = block * lanes < last ? block * lanes : last;  // as DepthwiseBlocks has it
    const int32_t* words = row.tail->words + block * lanes * kTail16Rows;
    const Tail a(*row.tail, words), b(*row.tail, words + Vec::kLanes * kTail16Rows);
    int x = 0;
    constexpr int many = Vec::kLanes == 16 ? 4 : 2;  // as registers allow
    for (; x + many <= row.pixels; x += many) {
      depthwise16_pixels<many, Pairs, Split>(row, block, first, x, a, b);
    }
    for (; x < row.pixels; ++x) depthwise16_pixels<1, Pairs, Split>(row, block, first, x, a, b);
  }
}

inline void depthwise16(const Depthwise16Row& row) {
  with_tail16(*row.tail, [&]<class Tail>() {
    if (!row.split) return depthwise16_rows<0, false, Tail>(row);
    if (row.tap_pairs == 5) return depthwise16_rows<5, true, Tail>(row);  // 3x3
    depthwise16_rows<0, true, Tail>(row);
  });
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
