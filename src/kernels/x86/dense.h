// The register tile of dense layers: M pixels by NV vectors of channels, all sums in registers.
// Included once per instruction set, after Vec and tails.h.
#pragma once

#include "kernels/core/table8.h"
#include "kernels/x86/dense_tile.h"
#include "kernels/x86/tails.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

template <int M, int NV>
[[gnu::always_inline]] inline void start_sums(const DenseTile& tile, DenseSums<M, NV>& sums) {
  unroll<NV>([&](auto v) EDGETWIN_INLINE {
    const I bias = Vec::load(tile.bias + v.value * Vec::kLanes);
    unroll<M>([&](auto m) EDGETWIN_INLINE { sums.at[m.value][v.value] = bias; });
  });
  if (tile.pixel_terms == nullptr) return;
  unroll<M>([&](auto m) EDGETWIN_INLINE {
    const I term = Vec::broadcast(tile.pixel_terms[m.value]);
    unroll<NV>([&](auto v) EDGETWIN_INLINE {
      sums.at[m.value][v.value] = Vec::add(sums.at[m.value][v.value], term);
    });
  });
}

template <int M, int NV, class V = Vec>
[[gnu::always_inline]] inline void accumulate(const DenseTile& tile, DenseSums<M, NV>& sums) {
  if constexpr (requires { typename V::Groups; }) {
    V::Groups::template run<M, NV>(tile, sums);
  } else {
    const PixelStrides strides(tile.row.pixel_stride);
    const int8_t* weights = tile.weights;
    for (int r = 0; r < tile.row.run_count; ++r) {
      weights = multiply_bytes<M, NV>(tile.row.runs[r] + tile.first, tile.row.run_steps, strides,
                                      weights, sums, V::dot);
    }
  }
}

template <int M>
[[gnu::always_inline]] inline void store_tile(const DenseTile& tile, const DenseSums<M, 1>& sums) {
  const Narrow narrow(*tile.row.tail);
  const std::ptrdiff_t stride = tile.row.out_stride;
  unroll<(M + 3) / 4>([&](auto group) EDGETWIN_INLINE {
    constexpr int m = group.value * 4, last = M - 1;
    constexpr int a = m + 1 < M ? m + 1 : last, b = m + 2 < M ? m + 2 : last;
    constexpr int c = m + 3 < M ? m + 3 : last;
    narrow.store1(sums.at[m][0], sums.at[a][0], sums.at[b][0], sums.at[c][0], tile.out + m * stride,
                  stride, M - m, tile.channels);
  });
}

template <int M>
[[gnu::always_inline]] inline void store_tile(const DenseTile& tile, const DenseSums<M, 2>& sums) {
  const Narrow narrow(*tile.row.tail);
  const std::ptrdiff_t stride = tile.row.out_stride;
  unroll<(M + 1) / 2>([&](auto pair) EDGETWIN_INLINE {
    constexpr int m = pair.value * 2, n = m + 1 < M ? m + 1 : m;  // alone: written twice
    narrow.store2(sums.at[m][0], sums.at[m][1], sums.at[n][0], sums.at[n][1], tile.out + m * stride,
                  tile.out + n * stride, tile.channels);
  });
}

template <int M, int NV, class Tail>
[[gnu::always_inline]] inline void finish(const DenseTile& tile, DenseSums<M, NV>& sums) {
  unroll<NV>([&](auto v) EDGETWIN_INLINE {
    const Tail tail(*tile.row.tail, tile.tail_words + v.value * Vec::kLanes * kTailRows);
    unroll<M>([&](auto m)
                  EDGETWIN_INLINE { sums.at[m.value][v.value] = tail(sums.at[m.value][v.value]); });
  });
  store_tile(tile, sums);
}

template <int M, int NV, class Tail>
void dense_tile(const DenseTile& tile, int32_t*) {
  DenseSums<M, NV> sums;
  start_sums<M, NV>(tile, sums);
  accumulate<M, NV>(tile, sums);
  finish<M, NV, Tail>(tile, sums);
}

// Tails that are long or rare would be unrolled into each size of a tile for nothing. Their sums go
// through memory, and one function finishes tiles of all sizes.
template <class Tail>
constexpr bool kThroughMemory = __is_same(Tail, FloatEven) || __is_same(Tail, General) ||
                                __is_same(Tail, BothShifts);

template <int M, int NV>
void sum_tile(const DenseTile& tile, int32_t* to) {
  DenseSums<M, NV> sums;
  start_sums<M, NV>(tile, sums);
  accumulate<M, NV>(tile, sums);
  store_sums<M, NV>(to, sums);
}

// The tail of one vector of channels.
template <class Tail>
struct VectorTail {
  Tail tail;
  const int32_t* sums;
  int pixel_lanes;

  VectorTail(const DenseTile& tile, const int32_t* from, int vector)
      : tail(*tile.row.tail, tile.tail_words + vector * Vec::kLanes * kTailRows),
        sums(from + vector * Vec::kLanes),
        pixel_lanes(tile.row.vectors * Vec::kLanes) {}
  EDGETWIN_INLINE I operator()(int pixel) const {
    return tail(Vec::load(sums + pixel * pixel_lanes));
  }
};

template <class Tail>
void finish_narrow(const DenseTile& tile, const int32_t* sums, int pixels) {
  const Narrow narrow(*tile.row.tail);
  const std::ptrdiff_t stride = tile.row.out_stride;
  const VectorTail<Tail> tail(tile, sums, 0);
  for (int m = 0; m < pixels; m += 4) {
    I x[4];
    // Pixels that are not there: a tail counts what it rounds, so that it sees each sum once.
    for (int i = 0; i < 4; ++i) x[i] = m + i < pixels ? tail(m + i) : x[0];
    narrow.store1(x[0], x[1], x[2], x[3], tile.out + m * stride, stride, pixels - m, tile.channels);
  }
}

template <class Tail>
void finish_wide(const DenseTile& tile, const int32_t* sums, int pixels) {
  const Narrow narrow(*tile.row.tail);
  const std::ptrdiff_t stride = tile.row.out_stride;
  const VectorTail<Tail> first(tile, sums, 0), second(tile, sums, 1);
  int m = 0;
  for (; m + 2 <= pixels; m += 2) {
    uint8_t* out = tile.out + m * stride;
    narrow.store2(first(m), second(m), first(m + 1), second(m + 1), out, out + stride,
                  tile.channels);
  }
  if (m == pixels) return;
  uint8_t* out = tile.out + m * stride;
  const I a = first(m), b = second(m);
  narrow.store2(a, b, a, b, out, out, tile.channels);  // written twice
}

using TileFunction = void (*)(const DenseTile&, int32_t* sums);
using FinishFunction = void (*)(const DenseTile&, const int32_t* sums, int pixels);

struct TileList {
  TileFunction at[3][Vec::kTilePixels + 1];  // by vectors and pixels
};

// Tail: void for sums alone.
template <int NV, class Tail, int M>
constexpr void list_tiles(TileList& list) {
  if constexpr (__is_same(Tail, void)) {
    list.at[NV][M] = sum_tile<M, NV>;
  } else {
    list.at[NV][M] = dense_tile<M, NV, Tail>;
  }
  if constexpr (M > 1) list_tiles<NV, Tail, M - 1>(list);
}

template <class Tail>
constexpr TileList make_tiles() {
  TileList list = {};
  list_tiles<1, Tail, Vec::kTilePixels>(list);
  list_tiles<2, Tail, Vec::kTilePixels>(list);
  return list;
}

template <class Tail>
constexpr TileList kTiles = make_tiles<Tail>();

// How tiles are computed, and finished if that is a step of its own.
struct TileWay {
  const TileFunction* tiles;  // by pixels
  FinishFunction finish;      // or null
};

template <class Tail>
TileWay way_of(int vectors) {
  if constexpr (kThroughMemory<Tail>) {
    return {kTiles<void>.at[vectors], vectors == 1 ? finish_narrow<Tail> : finish_wide<Tail>};
  } else {
    return {kTiles<Tail>.at[vectors], nullptr};
  }
}

// Tiles of nearly equal size: a small one would use few of the registers, for all of the weights.
inline void dense_block(const DenseRow& row, int block, const TileWay& way) {
  alignas(64) int32_t sums[Vec::kTilePixels * 2 * Vec::kLanes];
  const int lanes = row.vectors * Vec::kLanes;
  const std::ptrdiff_t steps = static_cast<std::ptrdiff_t>(row.run_count) * row.run_steps;
  const int left = row.out_channels - block * lanes;
  DenseTile tile{row,
                 0,
                 row.pixel_terms,
                 row.weights + block * steps * row.vectors * Vec::kBytes,
                 row.bias + block * lanes,
                 row.tail->words + block * lanes * kTailRows,
                 row.out + block * lanes,
                 left < lanes ? left : lanes,
                 block};
  int pixels = row.pixels;
  for (int count = (pixels + Vec::kTilePixels - 1) / Vec::kTilePixels; count > 0; --count) {
    const int m = (pixels + count - 1) / count;
    way.tiles[m](tile, sums);
    if (way.finish != nullptr) way.finish(tile, sums, m);
    tile.first += m * row.pixel_stride;
    if (tile.pixel_terms != nullptr) tile.pixel_terms += m;
    tile.out += m * row.out_stride;
    pixels -= m;
  }
}

inline void dense(const DenseRow& row) {
  const TileWay way =
      with_tail(row.tail->kind, [&]<class Tail>() { return way_of<Tail>(row.vectors); });
  for (int block = row.block_begin; block < row.block_end; ++block) dense_block(row, block, way);
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
