// How sums of 16-bit products stay exact in words of 32 bits.
//
// Wanted is T = K + sum x w, where K is the bias and, for the cheap store stages, the half unit of
// the rounding (tail_plan.cc); then T is shifted. All sums below wrap modulo 2^32.
//
// narrow: where |K| + 2^15 sum |w| < 2^31, a 32-bit sum is T.
//
// Split, dense: T is kept as high 2^u + low with |low| < 2^31. One pass sums K + x w modulo 2^32.
// Another gives `high`, from the upper bits of x and w: let w = 256 v + w', with v = (w + 128) >> 8
// but at most 127, and x = 2^r (X - 2^(15-r)) + 2^(r-1) + d, where X = (x + 2^15) >> r is the byte
// that KernelTable16::encode makes, r its high_shift, and -2^(r-1) <= d < 2^(r-1). With u = r + 8,
//   x w = 2^u (X - 2^(15-r)) v + 2^(u-1) v + (x w' + 256 d v).
// So high = sum X v - 2^(15-r) sum v + floor(sum v / 2) leaves a rest of less than
//   2^u + sum (2^15 |w'| + 2^(u-1) |v|),
// and if that is below 2^31, the first pass, less high 2^u, is the rest itself. This costs three
// quarters of two passes over words. Where a window is too long for it, it is cut in segments;
// after each, `high` takes floor(rest / 2^u), and the rest is small again. Padding is x = 0, which
// is X = 2^(15-r).
//
// Split, depthwise: w = 256 v + w' again, with a sum of words each, so that u = 8. Both must stay
// below 2^31, which holds for hundreds of taps.
#include "kernels/i16/plan.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "kernels/i16/layer.h"

namespace edgetwin::kernels {
namespace {

constexpr int64_t kSumLimit = int64_t{1} << 62;
constexpr int kDepthwiseUnit = 8;

int64_t floor_half(int64_t x) { return x >> 1; }

std::size_t size(int64_t x) { return static_cast<std::size_t>(x); }

bool sums_fit(const Layer16& layer) {
  for (int c = 0; c < layer.spec.window.out_c; ++c) {
    const int64_t bias = layer.bias(c);
    if (bias > kSumLimit / 4 || bias < -kSumLimit / 4) return false;
    if (layer.bound(c) > kSumLimit / 4) return false;
  }
  return true;
}

// The order of channels within a block of two vectors makes narrowing, which works in pieces of 128
// bits, deliver them in order.
int channel_of_lane(int vectors, int vector, int lane) {
  return vectors == 1 ? lane : lane / 4 * 8 + vector * 4 + lane % 4;
}

// What a channel's sums begin with: nothing where the general form adds the bias.
int64_t start_of(const Layer16& layer, const Conv16Plan& plan, int channel) {
  return plan.tail.kind == Tail16Kind::general ? 0 : layer.constant(channel);
}

// ---- dense

// The most that elements [first, first + count) of a channel add to its rest.
int64_t rest_bound(const Layer16& layer, const Conv16Plan& plan, int channel, int first,
                   int count) {
  int64_t bound = 0;
  for (int t = first; t < first + count; ++t) {
    const int w = layer.weight(channel, t), v = upper_byte(w);
    bound += (int64_t{std::abs(w - 256 * v)} << 15) +
             (int64_t{std::abs(v)} << (plan.table->high_shift + 7));
  }
  return bound;
}

// Cuts the window where some channel's rest could grow too large, in steps of `grain` elements.
void cut_segments(const Layer16& layer, Conv16Plan& plan, int unit) {
  constexpr int grain = 16;  // at most 2^30 with the unit: 16 * 2^15 * (255 + 2 * 128)
  const std::vector<Piece> whole = std::move(plan.pieces);
  plan.pieces.clear();
  std::vector<int64_t> rests(size(layer.spec.window.out_c), 0);
  std::vector<int64_t> added(rests.size(), 0);
  for (const Piece& piece : whole) {
    Piece part{piece.ky, piece.offset, 0, piece.first};
    for (int e = 0; e < piece.elements; e += grain) {
      const int count = std::min(grain, piece.elements - e);
      bool fits = true;
      for (std::size_t c = 0; c < rests.size(); ++c) {
        added[c] = rest_bound(layer, plan, static_cast<int>(c), piece.first + e, count);
        fits = fits && rests[c] + added[c] + (int64_t{2} << unit) < kWordLimit;
      }
      if (!fits) {
        if (part.elements > 0) plan.pieces.push_back(part);
        plan.segment_ends.push_back(static_cast<int32_t>(plan.pieces.size()));
        part = {piece.ky, piece.offset + e, 0, piece.first + e};
        std::fill(rests.begin(), rests.end(), 0);
      }
      part.elements += count;
      for (std::size_t c = 0; c < rests.size(); ++c) rests[c] += added[c];
    }
    plan.pieces.push_back(part);
  }
  plan.segment_ends.push_back(static_cast<int32_t>(plan.pieces.size()));
}

// The channel of every lane of every vector; of a block with fewer vectors, the rest have none.
std::vector<int> dense_lanes(const Conv16Plan& plan) {
  const int lanes = plan.table->lanes;
  std::vector<int> channels;
  for (int i = 0; i < plan.blocks * plan.vectors; ++i) {
    const int block = i / plan.vectors, vector = i % plan.vectors;
    for (int lane = 0; lane < lanes; ++lane) {
      const int channel =
          block * plan.vectors * lanes + channel_of_lane(plan.vectors_of(block), vector, lane);
      const bool valid = vector < plan.vectors_of(block) && channel < plan.window.out_c;
      channels.push_back(valid ? channel : -1);
    }
  }
  return channels;
}

// Elements `per_step` at a time: to(step, vector-lane, element of the step) for all of a channel.
template <class Put>
void for_elements(const Conv16Plan& plan, int per_step, const Put& put) {
  int64_t step = 0;
  for (const Piece& piece : plan.pieces) {
    for (int e = 0; e < piece.elements; ++e)
      put(step + e / per_step, e % per_step, piece.first + e);
    step += ceil_div(piece.elements, per_step);
  }
}

void pack_lane(const Layer16& layer, Conv16Plan& plan, std::size_t i, int channel) {
  const std::size_t lanes = size(plan.vectors * plan.table->lanes);
  const std::size_t block = i / lanes, lane = i % lanes;
  const std::size_t used = size(plan.vectors_of(static_cast<int>(block)) * plan.table->lanes);
  auto* words = reinterpret_cast<int16_t*>(plan.word_weights.data());
  int64_t all_words = 0, all_bytes = 0;
  for (const int32_t s : plan.word_steps) all_words += s;
  for (const int32_t s : plan.byte_steps) all_bytes += s;
  words += block * size(all_words) * lanes * 2;
  for_elements(plan, 2, [&](int64_t step, int within, int tap) {
    words[(size(step) * used + lane) * 2 + size(within)] =
        static_cast<int16_t>(layer.weight(channel, tap));
  });
  if (!plan.split) return;
  int8_t* bytes = plan.byte_weights.data() + block * size(all_bytes) * lanes * 4;
  for_elements(plan, 4, [&](int64_t step, int within, int tap) {
    bytes[(size(step) * used + lane) * 4 + size(within)] =
        static_cast<int8_t>(upper_byte(layer.weight(channel, tap)));
  });
}

// What the high word of a lane begins each segment with.
void start_segments(const Layer16& layer, Conv16Plan& plan, std::size_t i, int channel) {
  const std::size_t lanes = size(plan.blocks * plan.vectors * plan.table->lanes);
  std::size_t piece = 0;
  for (std::size_t s = 0; s < plan.segment_ends.size(); ++s) {
    int64_t uppers = 0;
    for (; piece < size(plan.segment_ends[s]); ++piece) {
      const Piece& p = plan.pieces[piece];
      for (int e = 0; e < p.elements; ++e) uppers += upper_byte(layer.weight(channel, p.first + e));
    }
    const int64_t start = s == 0 ? start_of(layer, plan, channel) >> plan.tail.unit : 0;
    plan.high_start.data()[s * lanes + i] =
        wrapped(start - (uppers << (15 - plan.table->high_shift)) + floor_half(uppers));
  }
}

void pack_dense16(const Layer16& layer, Conv16Plan& plan, const std::vector<int>& channels) {
  int64_t words = 0, bytes = 0;
  for (const Piece& piece : plan.pieces) {
    plan.word_steps.push_back(ceil_div(piece.elements, 2));
    plan.byte_steps.push_back(ceil_div(piece.elements, 4));
    words += plan.word_steps.back();
    bytes += plan.byte_steps.back();
  }
  plan.word_weights = AlignedArray<int8_t>(channels.size() * size(words) * 4);
  if (plan.split) plan.byte_weights = AlignedArray<int8_t>(channels.size() * size(bytes) * 4);
  plan.low_start = AlignedArray<int32_t>(channels.size());
  plan.high_start = AlignedArray<int32_t>(channels.size() * plan.segment_ends.size());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const int channel = channels[i];
    if (channel < 0) continue;
    pack_lane(layer, plan, i, channel);
    plan.low_start.data()[i] = wrapped(start_of(layer, plan, channel));
    if (plan.split) start_segments(layer, plan, i, channel);
  }
}

// ---- depthwise

// Of one lane: whether both its sums stay within 32 bits.
bool depthwise_fits(const Layer16& layer, const Conv16Plan& plan, int channel) {
  int64_t upper = 0, lower = 0;
  for (int t = 0; t < layer.taps; ++t) {
    const int w = layer.weight(channel, t), v = upper_byte(w);
    upper += std::abs(v);
    lower += std::abs(w - 256 * v);
  }
  const int64_t start = magnitude(start_of(layer, plan, channel)) >> kDepthwiseUnit;
  return (lower << 15) + 256 < kWordLimit && (upper << 15) + start + 1 < kWordLimit;
}

void pack_taps(const Layer16& layer, Conv16Plan& plan, std::size_t i, int channel) {
  const std::size_t lanes = size(2 * plan.table->lanes), planes = plan.split ? 2 : 1;
  const std::size_t block = i / lanes, lane = i % lanes;
  auto* weights = reinterpret_cast<int16_t*>(plan.word_weights.data());
  for (int t = 0; t < layer.taps; ++t) {
    const int w = layer.weight(channel, t), v = upper_byte(w);
    const std::size_t pair = block * size(plan.tap_pairs) + size(t / 2);
    int16_t* to = weights + (pair * planes * lanes + lane) * 2 + size(t % 2);
    to[0] = static_cast<int16_t>(plan.split ? w - 256 * v : w);
    if (plan.split) to[lanes * 2] = static_cast<int16_t>(v);
  }
  const int64_t start = start_of(layer, plan, channel);
  plan.low_start.data()[i] = wrapped(plan.split ? start & low_bits(kDepthwiseUnit) : start);
  plan.high_start.data()[i] = wrapped(start >> kDepthwiseUnit);
}

}  // namespace

bool plan_dense16(const Conv16Spec& spec, Conv16Plan& plan) {
  const Window2D& w = spec.window;
  const Layer16 layer{spec, w.kernel_h * w.kernel_w * w.in_c};
  const int unit = plan.table->high_shift + 8;
  if (!sums_fit(layer)) return false;
  for (int c = 0; c < w.out_c; ++c) {
    if (layer.bound(c) >> unit >= kWordLimit / 2) return false;
  }
  plan.vectors = w.out_c > plan.table->lanes ? 2 : 1;
  plan.blocks = ceil_div(w.out_c, plan.vectors * plan.table->lanes);
  plan.last_vectors =
      ceil_div(w.out_c - (plan.blocks - 1) * plan.vectors * plan.table->lanes, plan.table->lanes);
  const std::vector<int> channels = dense_lanes(plan);
  plan_tail16(layer, plan, unit, channels);
  plan.pieces = window_pieces(w);
  if (plan.split) {
    cut_segments(layer, plan, unit);
  } else {
    plan.segment_ends.push_back(static_cast<int32_t>(plan.pieces.size()));
  }
  pack_dense16(layer, plan, channels);
  plan.path += plan.split ? " dense, words and bytes" : " dense, words";
  return true;
}

bool plan_depthwise16(const Conv16Spec& spec, Conv16Plan& plan) {
  const Window2D& w = spec.window;
  const Layer16 layer{spec, w.kernel_h * w.kernel_w};
  if (!sums_fit(layer)) return false;
  plan.taps = DepthwiseWalk<int16_t>(w, 2 * plan.table->lanes);
  const DepthwiseBlocks& blocks = plan.taps.blocks();
  std::vector<int> channels;
  for (int i = 0; i < 2 * blocks.count(); ++i) {
    for (int lane = 0; lane < plan.table->lanes; ++lane) {
      const int channel = blocks.first(i / 2) + channel_of_lane(2, i % 2, lane);
      channels.push_back(channel < w.out_c ? channel : -1);
    }
  }
  plan_tail16(layer, plan, kDepthwiseUnit, channels);
  for (int c = 0; plan.split && c < w.out_c; ++c) {
    if (!depthwise_fits(layer, plan, c)) return false;
  }
  plan.tap_pairs = ceil_div(layer.taps, 2);
  plan.word_weights =
      AlignedArray<int8_t>(channels.size() * size(plan.tap_pairs) * (plan.split ? 8 : 4));
  plan.low_start = AlignedArray<int32_t>(channels.size());
  plan.high_start = AlignedArray<int32_t>(channels.size());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (channels[i] >= 0) pack_taps(layer, plan, i, channels[i]);
  }
  plan.path += plan.split ? " depthwise, words in two parts" : " depthwise, words";
  return true;
}

}  // namespace edgetwin::kernels
