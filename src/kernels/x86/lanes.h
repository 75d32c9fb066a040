// Saturating lanes of 20 bits, with the exact sum beside them: M pixels by one vector of channels.
// lanes_plan.cc derives the scales. Included once per instruction set, after Vec.
#pragma once

#include "kernels/core/lane_table.h"
#include "kernels/x86/multiply_run.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

struct LaneStore {
  I lane_start, wide_start, wide_to_lane, half, shift, lowest, highest;
  bool calm;

  LaneStore(const LaneFinish& finish, int block)
      : lane_start(row(finish, block, kLaneStart)),
        wide_start(row(finish, block, kWideStart)),
        wide_to_lane(row(finish, block, kWideToLane)),
        half(row(finish, block, kLaneHalf)),
        shift(row(finish, block, kLaneShift)),
        lowest(Vec::broadcast(finish.act_min)),
        highest(Vec::broadcast(finish.act_max)),
        calm(finish.calm[block] != 0) {}
  static I row(const LaneFinish& finish, int block, int i) {
    return Vec::load(finish.constants + (block * kLaneConstants + i) * Vec::kLanes);
  }

  [[gnu::always_inline]] I result(I x) const {
    return Vec::clamp(Vec::shift_right(Vec::add(x, half), shift), lowest, highest);
  }

  // Stores lanes [0, count), and returns how many from lane `from` on differ from the wide result.
  [[gnu::always_inline]] int operator()(I lane, I wide, int8_t* to, int from, int count) const {
    const I exact = Vec::shift_right(wide, Vec::broadcast(4));
    const I value = calm ? Vec::add(exact, wide_to_lane)
                         : Vec::shift_right(lane, Vec::broadcast(Vec::kLaneScale));
    const I y = result(value);
    Vec::store_lanes(to, y, count);
    return Vec::count_different(y, result(exact), from, count);
  }
};

template <int M>
struct LaneSums {
  I lane[M];
  DenseSums<M, 1> wide;
};

// The lanes alone, with their limits.
template <int M>
[[gnu::always_inline]] inline void lanes_run(const uint8_t* q0, int steps,
                                             const PixelStrides& strides, const int8_t* weights,
                                             I (&lane)[M]) {
  const std::ptrdiff_t stride = strides.one, stride3 = strides.three;
  const uint8_t* q1 = q0 + 4 * stride;
  const uint8_t* q2 = q1 + 4 * stride;
  for (int step = 0; step < steps; ++step, weights += Vec::kBytes) {
    const I both = Vec::load_bytes(weights);
    const I first = Vec::first_lane_weights(both), second = Vec::second_lane_weights(both);
    unroll<M>([&](auto m) EDGETWIN_INLINE {
      constexpr int i = m.value;
      const uint8_t* q = i < 4 ? q0 : i < 8 ? q1 : q2;
      const I x = Vec::broadcast4(q + (i % 4 == 3 ? stride3 : i % 4 * stride));
      lane[i] = Vec::lane_step(Vec::lane_step(lane[i], x, first), x, second);
    });
    q0 += 4;
    q1 += 4;
    q2 += 4;
  }
}

// Whether a lane is further from zero than it may be at the beginning of these steps.
template <int M>
[[gnu::always_inline]] inline bool is_near_limit(const I (&lane)[M], const int32_t* room) {
  const I zero = Vec::broadcast(0);
  const I high = Vec::load(room), low = Vec::subtract(zero, high);
  I beyond = zero;
  unroll<M>([&](auto m) EDGETWIN_INLINE {
    const I x = lane[m.value];
    beyond = Vec::bit_or(beyond, Vec::subtract(x, Vec::clamp(x, low, high)));
  });
  return Vec::count_different(beyond, zero, 0, Vec::kLanes) != 0;
}

// A piece in parts of kLanePartSteps: lanes with room for all products of a part, whatever their
// order, take their sum.
template <int M>
[[gnu::always_inline]] inline const int8_t* lanes_piece(const uint8_t* from, int steps,
                                                        const PixelStrides& strides,
                                                        const int8_t* weights, const int32_t*& room,
                                                        LaneSums<M>& sums) {
  while (steps > 0) {
    const int part = steps < kLanePartSteps ? steps : kLanePartSteps;
    DenseSums<M, 1> added;
    unroll<M>([&](auto m) EDGETWIN_INLINE { added.at[m.value][0] = Vec::broadcast(0); });
    multiply_run<M, 1>(from, part, strides, weights, added, Vec::dot_words);
    if (is_near_limit<M>(sums.lane, room)) {
      lanes_run<M>(from, part, strides, weights, sums.lane);
    } else {
      unroll<M>([&](auto m) EDGETWIN_INLINE {
        I sum = added.at[m.value][0];
        if constexpr (Vec::kLaneScale != 4) {
          sum = Vec::shift_left(sum, Vec::broadcast(Vec::kLaneScale - 4));
        }
        sums.lane[m.value] = Vec::add(sums.lane[m.value], sum);
      });
    }
    unroll<M>([&](auto m) EDGETWIN_INLINE {
      sums.wide.at[m.value][0] = Vec::add(sums.wide.at[m.value][0], added.at[m.value][0]);
    });
    from += part * 4;
    weights += part * Vec::kBytes;
    room += Vec::kLanes;
    steps -= part;
  }
  return weights;
}

template <int M>
int64_t lanes_tile(const LaneRow& row, int block, int pixel, const LaneStore& store) {
  LaneSums<M> sums;
  unroll<M>([&](auto m) EDGETWIN_INLINE {
    sums.lane[m.value] = store.lane_start;
    sums.wide.at[m.value][0] = store.wide_start;
  });
  const PixelStrides strides(row.pixel_stride);
  const int8_t* weights = row.weights + block * row.all_steps * Vec::kBytes;
  const std::ptrdiff_t first = pixel * row.pixel_stride;
  if (store.calm) {
    for (int p = 0; p < row.pieces; ++p) {
      weights = multiply_run<M, 1>(row.runs[p] + first, row.steps[p], strides, weights, sums.wide,
                                   Vec::dot_words);
    }
  } else {
    const int32_t* room = row.room + block * row.all_parts * Vec::kLanes;
    for (int p = 0; p < row.pieces; ++p) {
      weights = lanes_piece<M>(row.runs[p] + first, row.steps[p], strides, weights, room, sums);
    }
  }
  const int left = row.channels - block * Vec::kLanes;
  const int count = left < Vec::kLanes ? left : Vec::kLanes;
  int8_t* out = row.out + pixel * row.out_stride + block * Vec::kLanes;
  int64_t different = 0;
  unroll<M>([&](auto m) EDGETWIN_INLINE {
    different += store(sums.lane[m.value], sums.wide.at[m.value][0], out + m.value * row.out_stride,
                       0, count);
  });
  return different;
}

using LaneTileFunction = int64_t (*)(const LaneRow&, int, int, const LaneStore&);

struct LaneTileList {
  LaneTileFunction at[Vec::kLanePixels + 1];
};

template <int M>
constexpr void list_lane_tiles(LaneTileList& list) {
  list.at[M] = lanes_tile<M>;
  if constexpr (M > 1) list_lane_tiles<M - 1>(list);
}

constexpr LaneTileList make_lane_tiles() {
  LaneTileList list = {};
  list_lane_tiles<Vec::kLanePixels>(list);
  return list;
}

inline constexpr LaneTileList kLaneTiles = make_lane_tiles();

inline int64_t lanes_dense(const LaneRow& row) {
  int64_t different = 0;
  for (int block = 0; block < row.blocks; ++block) {
    const LaneStore store(row.finish, block);
    int pixel = 0;
    for (int count = (row.pixels + Vec::kLanePixels - 1) / Vec::kLanePixels; count > 0; --count) {
      const int m = (row.pixels - pixel + count - 1) / count;
      different += kLaneTiles.at[m](row, block, pixel, store);
      pixel += m;
    }
  }
  return different;
}

// N neighbouring pixels of one block.
template <int N>
[[gnu::always_inline]] inline int lanes_depthwise_pixels(const LaneDepthwiseRow& row,
                                                         const LaneStore& store,
                                                         const int8_t* weights, int channel, int x0,
                                                         int from, int count) {
  I lane[N], wide[N];
  unroll<N>([&](auto n) EDGETWIN_INLINE {
    lane[n.value] = store.lane_start;
    wide[n.value] = store.wide_start;
  });
  for (int t = 0; t < row.tap_count; ++t, weights += Vec::kBytes) {
    const I plain = Vec::load_bytes(weights), first = Vec::first_lane_weights(plain);
    const int8_t* tap = row.taps[t] + channel + x0 * row.stride;
    unroll<N>([&](auto n) EDGETWIN_INLINE {
      const I x = Vec::shift_left(Vec::widen(tap + n.value * row.stride), Vec::broadcast(4));
      if (!store.calm) lane[n.value] = Vec::lane_step(lane[n.value], x, first);
      wide[n.value] = Vec::dot_words(wide[n.value], x, plain);
    });
  }
  int different = 0;
  unroll<N>([&](auto n) EDGETWIN_INLINE {
    int8_t* to = row.out + channel + (x0 + n.value) * row.out_stride;
    different += store(lane[n.value], wide[n.value], to, from, count);
  });
  return different;
}

inline int64_t lanes_depthwise(const LaneDepthwiseRow& row) {
  constexpr int lanes = Vec::kLanes;
  int64_t different = 0;
  for (int block = row.block_begin; block < row.block_end; ++block) {
    const LaneStore store(row.finish, block);
    // As DepthwiseBlocks has it: the last block may lie over the one before.
    const int last = row.channels - lanes;
    const int first = row.gathered || block * lanes < last ? block * lanes : last;
    const int from = block * lanes - first;
    const int count = row.channels - first < lanes ? row.channels - first : lanes;
    const int channel = row.gathered ? 0 : first;
    const int8_t* weights =
        row.weights + static_cast<std::ptrdiff_t>(block) * row.tap_count * Vec::kBytes;
    int x = 0;
    for (; x + 4 <= row.pixels; x += 4) {
      different += lanes_depthwise_pixels<4>(row, store, weights, channel, x, from, count);
    }
    for (; x < row.pixels; ++x) {
      different += lanes_depthwise_pixels<1>(row, store, weights, channel, x, from, count);
    }
  }
  return different;
}

inline void lanes_encode(uint8_t* words, const int8_t* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = static_cast<int16_t>(from[i] * 16);
    __builtin_memcpy(words + 2 * i, &word, sizeof word);
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
