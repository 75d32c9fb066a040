// Dense layers of 16 bits: M pixels by NV vectors of channels. Words are multiplied first, with all
// sums in registers, then their upper bytes. Included once per instruction set, after Vec.
#pragma once

#include "kernels/core/table16.h"
#include "kernels/x86/multiply_run.h"
#include "kernels/x86/tails16.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

struct Tile16 {
  const Dense16Row& row;
  int block;
  int pixel;  // the first of the tile

  int first_vector() const { return block * row.vectors; }
  int vectors() const { return block + 1 == row.blocks ? row.last_vectors : row.vectors; }
};

// The sums of a tile, in memory between the passes: vectors of channels of a pixel side by side.
struct Tile16Sums {
  alignas(64) int32_t low[Vec::kTilePixels * 2 * Vec::kLanes];
  alignas(64) int32_t high[Vec::kTilePixels * 2 * Vec::kLanes];
};

template <int M, int NV>
[[gnu::always_inline]] inline void load_sums(const int32_t* from, int pixel_lanes,
                                             DenseSums<M, NV>& sums) {
  unroll<M>([&](auto m) EDGETWIN_INLINE {
    unroll<NV>([&](auto v) EDGETWIN_INLINE {
      sums.at[m.value][v.value] = Vec::load(from + m.value * pixel_lanes + v.value * Vec::kLanes);
    });
  });
}

// Pieces [begin, end): their words onto the low sums.
template <int M, int NV>
const int8_t* add_words(const Tile16& tile, int begin, int end, const int8_t* weights,
                        int32_t* low) {
  const Dense16Row& row = tile.row;
  const PixelStrides strides(row.word_stride);
  DenseSums<M, NV> sums;
  if (begin == 0) {
    load_sums<M, NV>(row.low_start + tile.first_vector() * Vec::kLanes, 0, sums);
  } else {
    load_sums<M, NV>(low, NV * Vec::kLanes, sums);
  }
  for (int p = begin; p < end; ++p) {
    weights = multiply_run<M, NV>(row.words[p] + tile.pixel * row.word_stride, row.word_steps[p],
                                  strides, weights, sums, Vec::dot_words);
  }
  store_sums<M, NV>(low, sums);
  return weights;
}

// Their upper bytes onto the high sums of one segment, which begin as `start`.
template <int M, int NV>
const int8_t* add_bytes(const Tile16& tile, int begin, int end, const int8_t* weights,
                        const int32_t* start, int32_t* high) {
  const Dense16Row& row = tile.row;
  const PixelStrides strides(row.byte_stride);
  DenseSums<M, NV> sums;
  load_sums<M, NV>(start, 0, sums);
  if (begin != 0) {
    unroll<M>([&](auto m) EDGETWIN_INLINE {
      unroll<NV>([&](auto v) EDGETWIN_INLINE {
        const I before = Vec::load(high + (m.value * NV + v.value) * Vec::kLanes);
        sums.at[m.value][v.value] = Vec::add(sums.at[m.value][v.value], before);
      });
    });
  }
  for (int p = begin; p < end; ++p) {
    weights = multiply_bytes<M, NV>(row.bytes[p] + tile.pixel * row.byte_stride, row.byte_steps[p],
                                    strides, weights, sums, Vec::dot_bytes);
  }
  store_sums<M, NV>(high, sums);
  return weights;
}

// What of a sum the high word does not hold.
inline I rest_of(const int32_t* low, const int32_t* high, I unit) {
  return Vec::subtract(Vec::load(low), Vec::shift_left(Vec::load(high), unit));
}

// The high words take their share, so that the rest is small again.
inline void settle_high(const int32_t* low, int32_t* high, int count, I unit) {
  for (int i = 0; i < count; i += Vec::kLanes) {
    const I share = Vec::shift_right(rest_of(low + i, high + i, unit), unit);
    Vec::store(high + i, Vec::add(Vec::load(high + i), share));
  }
}

template <int M, int NV>
void sum_tile16(const Tile16& tile, Tile16Sums& sums) {
  const Dense16Row& row = tile.row;
  const std::ptrdiff_t vectors = tile.first_vector();
  const int8_t* words = row.word_weights + vectors * row.all_word_steps * Vec::kBytes;
  if (row.byte_weights == nullptr) {
    add_words<M, NV>(tile, 0, row.segment_ends[row.segments - 1], words, sums.low);
    return;
  }
  const int8_t* bytes = row.byte_weights + vectors * row.all_byte_steps * Vec::kBytes;
  const int32_t* start = row.high_start + vectors * Vec::kLanes;
  const I unit = Vec::broadcast(row.tail->unit);
  for (int s = 0, begin = 0; s < row.segments; ++s) {
    if (s > 0) settle_high(sums.low, sums.high, M * NV * Vec::kLanes, unit);
    const int end = row.segment_ends[s];
    words = add_words<M, NV>(tile, begin, end, words, sums.low);
    bytes = add_bytes<M, NV>(tile, begin, end, bytes, start, sums.high);
    start += row.blocks * row.vectors * Vec::kLanes;
    begin = end;
  }
}

template <class Tail>
void finish_tile16(const Tile16& tile, const Tile16Sums& sums, int pixels) {
  const Dense16Row& row = tile.row;
  const Tail16Table& table = *row.tail;
  const I unit = Vec::broadcast(table.unit);
  const I lowest = Vec::broadcast_word(table.act_min), highest = Vec::broadcast_word(table.act_max);
  const bool split = row.byte_weights != nullptr;
  const int first_channel = tile.first_vector() * Vec::kLanes;
  const int vectors = tile.vectors(), lanes = vectors * Vec::kLanes;
  const int channels = row.out_channels - first_channel;
  const int32_t* words = table.words + first_channel * kTail16Rows;
  const Tail first(table, words);
  const Tail second(table, words + (vectors - 1) * kTail16Rows * Vec::kLanes);
  int16_t* out = row.out + tile.pixel * row.out_stride + first_channel;
  const auto result = [&](const Tail& tail, int at) EDGETWIN_INLINE {
    const int32_t* low = sums.low + at;
    const int32_t* high = sums.high + at;
    return split ? tail(rest_of(low, high, unit), Vec::load(high))
                 : tail(Vec::load(low), Vec::broadcast(0));
  };
  const int count = channels < lanes ? channels : lanes;
  for (int m = 0; m < pixels; ++m, out += row.out_stride) {
    const int at = m * lanes;
    const I a = result(first, at);
    if (vectors == 1) {
      Vec::store_words(out, a, lowest, highest, count);
    } else {
      Vec::store_words(out, a, result(second, at + Vec::kLanes), lowest, highest, count);
    }
  }
}

using Tile16Function = void (*)(const Tile16&, Tile16Sums&);

struct Tile16List {
  Tile16Function at[3][Vec::kTilePixels + 1];  // by vectors and pixels
};

template <int NV, int M>
constexpr void list_tiles16(Tile16List& list) {
  list.at[NV][M] = sum_tile16<M, NV>;
  if constexpr (M > 1) list_tiles16<NV, M - 1>(list);
}

constexpr Tile16List make_tiles16() {
  Tile16List list = {};
  list_tiles16<1, Vec::kTilePixels>(list);
  list_tiles16<2, Vec::kTilePixels>(list);
  return list;
}

inline constexpr Tile16List kTiles16 = make_tiles16();

template <class Tail>
void dense16_rows(const Dense16Row& row) {
  Tile16Sums sums;
  for (int block = 0; block < row.blocks; ++block) {
    Tile16 tile{row, block, 0};
    int pixels = row.pixels;
    // Tiles of nearly equal size.
    for (int count = (pixels + Vec::kTilePixels - 1) / Vec::kTilePixels; count > 0; --count) {
      const int m = (pixels + count - 1) / count;
      kTiles16.at[tile.vectors()][m](tile, sums);
      finish_tile16<Tail>(tile, sums, m);
      tile.pixel += m;
      pixels -= m;
    }
  }
}

inline void dense16(const Dense16Row& row) {
  with_tail16(*row.tail, [&]<class Tail>() { dense16_rows<Tail>(row); });
}

inline void encode16(uint8_t* bytes, const int16_t* from, std::size_t count) {
  constexpr std::size_t step = Vec::kEncodedWords;
  std::size_t i = 0;
  for (; i + step <= count; i += step) Vec::encode_words(bytes + i, from + i);
  for (; i < count; ++i) {
    bytes[i] = static_cast<uint8_t>((from[i] + 32768) >> Vec::kHighShift);
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
