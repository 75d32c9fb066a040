// How one instruction is a saturating lane.
//
// Elements are staged as words of 16 x, so that with a word of 2^8 w a product is x w 2^12, and a
// lane a is kept as A = a 2^12, whose limits are those of 32 bits: vpdpwssds adds and saturates.
// The upper limit it saturates at, 2^31 - 1, is not (2^19 - 1) 2^12 but 2^12 - 1 more; A is then
// a 2^12 + e with 0 <= e < 2^12, and stays so, as products are multiples of 2^12. This changes
// nothing: A + p 2^12 > 2^31 - 1 if and only if a + p > 2^19 - 1; A + p 2^12 < -2^31 if and only if
// a + p < -2^19; and a is A >> 12 at the end. The other word of each pair of weights is zero, as
// two products must not be added before the limit.
//
// AVX2 alone has no such instruction: there A = 16 a, and two more instructions are the limits.
//
// The wide sum takes both words of a pair at a time, of plain weights: 16 x w. It must stay below
// 2^27. Where |start| + 128 sum |w| <= 2^19 - 1, no lane of a channel can reach a limit, whatever
// the input: the lane is the wide sum less the difference of what they started with. A block whose
// channels are all like that is calm.
//
// The others are summed in parts of a few steps. Where a lane a has |a| + 128 sum |w| of the part <
// 2^19 - 1, it cannot reach a limit within the part: it takes the sum of the part at once.
#include "kernels/lanes/plan.h"

#include <algorithm>
#include <cstdlib>

namespace edgetwin::kernels {
namespace {

constexpr int64_t kWideLimit = int64_t{1} << 27;
constexpr int kWideScale = 4;

std::size_t size(int64_t x) { return static_cast<std::size_t>(x); }

struct Layer {
  const LaneSpec& spec;
  int taps;

  explicit Layer(const LaneSpec& s)
      : spec(s), taps(s.window.kernel_h * s.window.kernel_w * (s.depthwise ? 1 : s.window.in_c)) {}
  int8_t weight(int channel, int tap) const {
    return spec.weights[spec.depthwise ? int64_t{tap} * spec.window.out_c + channel
                                       : int64_t{channel} * taps + tap];
  }
  int64_t bound(int channel) const {
    int64_t sum = 0;
    for (int t = 0; t < taps; ++t) sum += std::abs(int{weight(channel, t)});
    return 128 * sum;
  }
  bool calm(int channel) const {
    return std::abs(int64_t{spec.lane_start[channel]}) + bound(channel) <= kLaneMax;
  }
};

// Constants and the calm of each block, whose lane l is channel first(block) + l; -1: none.
template <class First>
void fill_constants(const Layer& layer, LanePlan& plan, int blocks, const First& first) {
  const int lanes = plan.table->lanes;
  plan.constants = AlignedArray<int32_t>(size(int64_t{blocks} * lanes * kLaneConstants));
  plan.calm.assign(size(blocks), 1);
  for (int block = 0; block < blocks; ++block) {
    int32_t* vector = plan.constants.data() + block * lanes * kLaneConstants;
    for (int lane = 0; lane < lanes; ++lane) {
      const int channel = first(block) + lane;
      if (channel >= plan.channel_end) break;
      const int32_t start = layer.spec.lane_start[channel], wide = layer.spec.wide_start[channel];
      const int shift = layer.spec.tail.shift_of(channel);
      const auto at = [&](int row) -> int32_t& { return vector[row * lanes + lane]; };
      at(kLaneStart) = start * (1 << plan.table->lane_scale);
      at(kWideStart) = wide * (1 << kWideScale);
      at(kWideToLane) = start - wide;
      at(kLaneHalf) = static_cast<int32_t>(ShiftTail::half(shift));
      at(kLaneShift) = shift;
      if (!layer.calm(channel)) plan.calm[size(block)] = 0;
    }
  }
}

// The room of a lane before each part of a piece: a part adds at most 128 times its weights'
// magnitudes, whatever the input. One less than there is: lanes of 2^12 count 2^12 - 1 more.
void plan_room(const Layer& layer, LanePlan& plan, int blocks) {
  constexpr int elements = 2 * kLanePartSteps;
  static_assert(int64_t{elements} * 128 * 128 < kLaneMax, "lanes at zero have room for a part");
  const int lanes = plan.table->lanes;
  for (const int32_t steps : plan.steps) plan.all_parts += ceil_div(steps, kLanePartSteps);
  plan.room = AlignedArray<int32_t>(size(int64_t{blocks} * plan.all_parts * lanes));
  for (int c = 0; c < plan.channels(); ++c) {
    int32_t* room = plan.room.data() + c / lanes * plan.all_parts * lanes + c % lanes;
    for (const Piece& piece : plan.pieces) {
      for (int e = 0; e < piece.elements; e += elements, room += lanes) {
        int sum = 0;
        for (int k = e; k < std::min(e + elements, piece.elements); ++k) {
          sum += std::abs(int{layer.weight(plan.channel_begin + c, piece.first + k)});
        }
        *room = (kLaneMax - 1 - 128 * sum) * (1 << plan.table->lane_scale);
      }
    }
  }
}

void plan_dense(const Layer& layer, LanePlan& plan) {
  const Window2D& w = plan.window;
  const int lanes = plan.table->lanes, blocks = ceil_div(plan.channels(), lanes);
  plan.pieces = window_pieces(w);
  int64_t all = 0;
  for (const Piece& piece : plan.pieces) {
    plan.steps.push_back(ceil_div(piece.elements, 2));
    all += plan.steps.back();
  }
  plan.packed = AlignedArray<int8_t>(size(blocks * all * lanes * 4));
  auto* words = reinterpret_cast<int16_t*>(plan.packed.data());
  for (int c = 0; c < plan.channels(); ++c) {
    int64_t step = c / lanes * all;
    for (std::size_t p = 0; p < plan.pieces.size(); ++p) {
      for (int e = 0; e < plan.pieces[p].elements; ++e) {
        words[((step + e / 2) * lanes + c % lanes) * 2 + e % 2] =
            layer.weight(plan.channel_begin + c, plan.pieces[p].first + e);
      }
      step += plan.steps[p];
    }
  }
  plan_room(layer, plan, blocks);
  fill_constants(layer, plan, blocks,
                 [&](int block) { return plan.channel_begin + block * lanes; });
}

void plan_depthwise(const Layer& layer, LanePlan& plan) {
  const int lanes = plan.table->lanes;
  plan.taps = DepthwiseWalk<int8_t>(plan.window, lanes);
  const DepthwiseBlocks& blocks = plan.taps.blocks();
  plan.packed = AlignedArray<int8_t>(size(int64_t{blocks.count()} * layer.taps * lanes * 4));
  auto* words = reinterpret_cast<int16_t*>(plan.packed.data());
  for (int block = 0; block < blocks.count(); ++block) {
    for (int t = 0; t < layer.taps; ++t) {
      for (int lane = 0; lane < lanes && blocks.first(block) + lane < plan.window.out_c; ++lane) {
        words[((int64_t{block} * layer.taps + t) * lanes + lane) * 2] =
            layer.weight(blocks.first(block) + lane, t);
      }
    }
  }
  fill_constants(layer, plan, blocks.count(), [&](int block) { return blocks.first(block); });
}

}  // namespace

bool kernels_can_sum(const LaneSpec& spec) {
  const Layer layer(spec);
  for (int c = spec.channel_begin; c < spec.channel_end; ++c) {
    if (std::abs(int64_t{spec.wide_start[c]}) + layer.bound(c) >= kWideLimit) return false;
  }
  return true;
}

void plan_lanes(const LaneSpec& spec, LanePlan& plan) {
  const Layer layer(spec);
  if (spec.depthwise) return plan_depthwise(layer, plan);
  plan_dense(layer, plan);
  const Window2D& w = plan.window;
  constexpr int chunk_bytes = 24 * 1024, tiles = 24;  // 24 pixels are whole tiles everywhere
  const int chunk = std::max(1, chunk_bytes / 2 / w.in_c / tiles) * tiles;
  plan.dense = DenseWalk(w, chunk, [&](int columns) {
    return size(columns) * size(w.in_c) * sizeof(int16_t) + kCacheLine;
  });
}

}  // namespace edgetwin::kernels
