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
void dense_tile(const DenseTile& tile) {
  DenseSums<M, NV> sums;
  start_sums<M, NV>(tile, sums);
  accumulate<M, NV>(tile, sums);
  finish<M, NV, Tail>(tile, sums);
}

using TileFunction = void (*)(const DenseTile&);

// The tiles of 1 to `largest` pixels. The general tail takes much longer than the sums before it,
// and so makes do with small ones.
template <class Tail>
struct TileSizes {
  static constexpr int largest = Vec::kTilePixels;
};
template <>
struct TileSizes<General> {
  static constexpr int largest = 4;
};

struct TileList {
  int largest;
  TileFunction at[3][Vec::kTilePixels + 1];  // by vectors and pixels
};

template <int NV, class Tail, int M>
constexpr void list_tiles(TileList& list) {
  list.at[NV][M] = dense_tile<M, NV, Tail>;
  if constexpr (M > 1) list_tiles<NV, Tail, M - 1>(list);
}

template <class Tail>
constexpr TileList make_tiles() {
  TileList list = {};
  list.largest = TileSizes<Tail>::largest;
  list_tiles<1, Tail, TileSizes<Tail>::largest>(list);
  list_tiles<2, Tail, TileSizes<Tail>::largest>(list);
  return list;
}

template <class Tail>
constexpr TileList kTiles = make_tiles<Tail>();

// Tiles of nearly equal size: a small one would use few of the registers, for all of the weights.
inline void dense_block(const DenseRow& row, int block, const TileList& list) {
  const TileFunction* tiles = list.at[row.vectors];
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
  for (int count = (pixels + list.largest - 1) / list.largest; count > 0; --count) {
    const int m = (pixels + count - 1) / count;
    tiles[m](tile);
    tile.first += m * row.pixel_stride;
    if (tile.pixel_terms != nullptr) tile.pixel_terms += m;
    tile.out += m * row.out_stride;
    pixels -= m;
  }
}

inline const TileList& tiles_of(TailKind kind) {
  switch (kind) {
    case TailKind::right_shift:
      return kTiles<RightShift>;
    case TailKind::both_shifts:
      return kTiles<BothShifts>;
    case TailKind::signed_double:
      return kTiles<SignedDouble>;
    case TailKind::half_up:
      return kTiles<HalfUp>;
    case TailKind::half_even:
      return kTiles<HalfEven>;
    case TailKind::float_even:
      return kTiles<FloatEven>;
    case TailKind::general:
      break;
  }
  return kTiles<General>;
}

inline void dense(const DenseRow& row) {
  const TileList& tiles = tiles_of(row.tail->kind);
  for (int block = row.block_begin; block < row.block_end; ++block) dense_block(row, block, tiles);
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
