#include "ops/fast/kernels8.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ops/fast/reach.h"

namespace edgetwin::ops {
namespace {

struct Channels {
  int begin = 0, end = 0;
  bool none() const { return begin == end; }
};

// Channels whose lanes may saturate, ascending.
std::vector<int> unproven_lanes(const ShiftLayer<int8_t>& layer, const ShiftSums& sums) {
  std::vector<int> unproven;
  if (sums.lane_bits == 0) return unproven;
  const auto reach = reach_of(layer.weights, layer.channels(), layer.taps(), layer.depthwise,
                              layer.input, *sums.exact_bias);
  for (int o = 0; o < static_cast<int>(sums.lanes); ++o) {
    const auto i = static_cast<size_t>(o);
    const bool wraps = (*sums.lane_bias)[i] != (*sums.exact_bias)[i];
    if (wraps || !stays_within(reach[i], sums.lane_bits)) unproven.push_back(o);
  }
  return unproven;
}

std::vector<int32_t> narrow(const std::vector<int64_t>& bias) {
  std::vector<int32_t> result;
  for (const int64_t b : bias) {
    result.push_back(static_cast<int32_t>(std::clamp<int64_t>(
        b, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max())));
  }
  return result;
}

std::shared_ptr<const kernels::PackedConv> make_exact(const ShiftLayer<int8_t>& layer,
                                                      const ShiftSums& sums, Channels channels,
                                                      kernels::Isa isa) {
  const std::vector<int32_t> bias = narrow(*sums.exact_bias);
  const auto begin = static_cast<size_t>(channels.begin);
  kernels::Conv8Spec spec;
  spec.window = layer.window;
  spec.window.out_c = channels.end - channels.begin;
  spec.depthwise = layer.depthwise;
  spec.weights = layer.weights + begin * layer.taps();
  spec.bias = bias.data() + begin;
  spec.shift_tail = tail_of(sums, -128, 127);
  if (sums.shifts->size() > 1) spec.shift_tail->shifts = spec.shift_tail->shifts.subspan(begin);
  spec.isa = isa;
  return kernels::PackedConv::make(spec);
}

// The channels of the lanes as a layer of their own.
struct LaneLayer {
  std::vector<int8_t> weights;
  std::vector<int32_t> lane, exact;
  std::vector<int> shifts;

  LaneLayer(const ShiftLayer<int8_t>& layer, const ShiftSums& sums,
            const std::vector<int>& channels) {
    const size_t taps = layer.taps();
    const std::vector<int32_t> all_lane = narrow(*sums.lane_bias);
    const std::vector<int32_t> all_exact = narrow(*sums.exact_bias);
    for (const int channel : channels) {
      const auto o = static_cast<size_t>(channel);
      weights.insert(weights.end(), layer.weights + o * taps, layer.weights + (o + 1) * taps);
      lane.push_back(all_lane[o]);
      exact.push_back(all_exact[o]);
      shifts.push_back(shift_of(sums, o));
    }
  }
};

// The channels of a range; where there is a layer of its own for some of them, all of that one.
std::shared_ptr<const kernels::LaneConv> make_lanes(const ShiftLayer<int8_t>& layer,
                                                    const ShiftSums& sums, Channels channels,
                                                    const LaneLayer* own, kernels::Isa isa) {
  const std::vector<int32_t> lane = narrow(*sums.lane_bias);
  const std::vector<int32_t> exact = narrow(*sums.exact_bias);
  kernels::LaneSpec spec;
  spec.window = layer.window;
  spec.depthwise = layer.depthwise;
  spec.weights = own == nullptr ? layer.weights : own->weights.data();
  spec.lane_start = own == nullptr ? lane.data() : own->lane.data();
  spec.wide_start = own == nullptr ? exact.data() : own->exact.data();
  spec.tail = tail_of(sums, -128, 127);
  if (own != nullptr) {
    spec.window.out_c = channels.end;
    spec.tail.shifts = own->shifts;
  }
  spec.channel_begin = channels.begin;
  spec.channel_end = channels.end;
  spec.isa = isa;
  return kernels::LaneConv::make(spec);
}

// Which kernel computes which channels. Where both compute a channel, the lanes do it last.
struct Split {
  Channels exact, lanes;
  std::vector<int> some;  // lanes: these channels, in place of a range
};

// Saturating lanes take more than twice as long. Where 55 % of the channels need them, they alone
// are faster than exact kernels for all and lanes for these, and weights are packed once.
Split split_of(const ShiftLayer<int8_t>& layer, const ShiftSums& sums, std::vector<int> unproven) {
  const Channels all{0, layer.window.out_c};
  if (unproven.empty()) return {all, {}, {}};
  if (layer.depthwise) return {{}, all, {}};
  const Channels in_lanes{0, static_cast<int>(sums.lanes)};
  if (20 * static_cast<int>(unproven.size()) < 11 * in_lanes.end) {
    const Channels range{unproven.front(), unproven.back() + 1};
    if (range.end - range.begin == static_cast<int>(unproven.size())) return {all, range, {}};
    return {all, {}, std::move(unproven)};
  }
  const bool one_pixel = layer.window.batch * layer.window.out_h * layer.window.out_w == 1;
  const Channels others{in_lanes.end, all.end};
  if (others.none() || one_pixel) return {others, in_lanes, {}};
  return {all, {unproven.front(), unproven.back() + 1}, {}};
}

size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

size_t Kernels8::results() const { return rounded(pixels * some.size()); }

size_t Kernels8::scratch_bytes(int threads) const {
  return first + results() + (lanes == nullptr ? 0 : lanes->scratch_bytes(threads));
}

void Kernels8::run(const int8_t* x, int8_t* y, std::byte* scratch, ThreadPool& pool,
                   std::atomic<int64_t>& differing) const {
  if (exact) exact->run(x, y + exact_begin, scratch, pool);
  if (!lanes) return;
  auto* own = reinterpret_cast<int8_t*>(scratch + first);
  int8_t* to = some.empty() ? y : own;
  differing.fetch_add(lanes->run(x, to, scratch + first + results(), pool),
                      std::memory_order_relaxed);
  for (size_t p = 0; p < (some.empty() ? 0 : pixels); ++p, y += channels) {
    for (const int channel : some) y[channel] = *own++;
  }
}

Kernels8 kernels_for(const ShiftLayer<int8_t>& layer, const ShiftSums& sums, kernels::Isa isa,
                     int threads) {
  std::vector<int> unproven = unproven_lanes(layer, sums);
  // Saturation at 32 bits (ESP32-P4) is left to the plain operator.
  if (!unproven.empty() && sums.lane_bits != 20) return {};
  Split split = split_of(layer, sums, std::move(unproven));
  Kernels8 k;
  k.exact_begin = split.exact.begin;
  const bool needs_lanes = !split.lanes.none() || !split.some.empty();
  if (!split.exact.none()) k.exact = make_exact(layer, sums, split.exact, isa);
  if (!split.lanes.none()) k.lanes = make_lanes(layer, sums, split.lanes, nullptr, isa);
  if (!split.some.empty()) {
    const LaneLayer own(layer, sums, split.some);
    k.lanes = make_lanes(layer, sums, {0, static_cast<int>(split.some.size())}, &own, isa);
  }
  if (!split.exact.none() && k.exact == nullptr) return {};
  if (needs_lanes && k.lanes == nullptr) return {};
  const Window2D& w = layer.window;
  k.pixels = static_cast<size_t>(w.batch) * static_cast<size_t>(w.out_h * w.out_w);
  k.channels = layer.channels();
  k.some = std::move(split.some);
  k.first = k.exact == nullptr ? 0 : rounded(k.exact->scratch_bytes(threads));
  return k;
}

}  // namespace edgetwin::ops
