#include "ops/fast/conv_espdl.h"

#include <algorithm>
#include <limits>

#include "kernels/i16/conv.h"
#include "kernels/i8/conv.h"
#include "kernels/lanes/conv.h"
#include "ops/fast/input_range.h"
#include "ops/fast/reach.h"

namespace edgetwin::ops {
namespace {

// A layer's weights in plain order, and what is known of the input.
template <class T>
struct Layer {
  const Window2D& window;
  bool depthwise = false;
  const T* weights = nullptr;
  ValueRange input{};

  size_t channels() const { return static_cast<size_t>(window.out_c); }
  size_t taps() const {
    const auto window_taps =
        static_cast<size_t>(window.kernel_h) * static_cast<size_t>(window.kernel_w);
    return depthwise ? window_taps : window_taps * static_cast<size_t>(window.in_c);
  }
};

template <class T>
Layer<T> layer_of(const OpContext& c, const Window2D& window, bool depthwise) {
  return {window, depthwise, reinterpret_cast<const T*>(c.constant(1)->data()), input_range(c, 0)};
}

bool stays_within(ValueRange r, int bits) {
  const int64_t limit = int64_t{1} << (bits - 1);
  return r.low >= -limit && r.high < limit;
}

std::optional<kernels::Isa> isa_of(const std::string& name) {
  if (name.empty()) return kernels::best_isa();
  const auto isa = kernels::isa_by_name(name);
  return isa && kernels::available(*isa) ? isa : std::nullopt;
}

kernels::ShiftTail tail_of(const ShiftSums& sums, int32_t low, int32_t high) {
  return {.shifts = *sums.shifts,
          .rounding = sums.rounding,
          .act_min = sums.relu ? 0 : low,
          .act_max = high};
}

struct Channels {
  int begin = 0, end = 0;
  bool none() const { return begin == end; }
};

// Channels whose lanes may saturate.
Channels unproven_lanes(const Layer<int8_t>& layer, const ShiftSums& sums) {
  Channels u;
  if (sums.lane_bits == 0) return u;
  const auto reach = reach_of(layer.weights, layer.channels(), layer.taps(), layer.depthwise,
                              layer.input, *sums.exact_bias);
  for (int o = 0; o < static_cast<int>(sums.lanes); ++o) {
    const auto i = static_cast<size_t>(o);
    const bool wraps = (*sums.lane_bias)[i] != (*sums.exact_bias)[i];
    if (!wraps && stays_within(reach[i], sums.lane_bits)) continue;
    if (u.begin == u.end) u.begin = o;
    u.end = o + 1;
  }
  return u;
}

std::vector<int32_t> narrow(const std::vector<int64_t>& bias) {
  std::vector<int32_t> result;
  for (const int64_t b : bias) {
    result.push_back(static_cast<int32_t>(std::clamp<int64_t>(
        b, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max())));
  }
  return result;
}

std::shared_ptr<const kernels::PackedConv> make_exact(const Layer<int8_t>& layer,
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

std::shared_ptr<const kernels::LaneConv> make_lanes(const Layer<int8_t>& layer,
                                                    const ShiftSums& sums, Channels channels,
                                                    kernels::Isa isa) {
  const std::vector<int32_t> lane = narrow(*sums.lane_bias);
  const std::vector<int32_t> exact = narrow(*sums.exact_bias);
  kernels::LaneSpec spec;
  spec.window = layer.window;
  spec.depthwise = layer.depthwise;
  spec.weights = layer.weights;
  spec.lane_start = lane.data();
  spec.wide_start = exact.data();
  spec.tail = tail_of(sums, -128, 127);
  spec.channel_begin = channels.begin;
  spec.channel_end = channels.end;
  spec.isa = isa;
  return kernels::LaneConv::make(spec);
}

size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }

// Which kernel computes which channels. Where both compute a channel, the lanes do it last.
struct Split {
  Channels exact, lanes;
};

// Saturating lanes take 2.2 times as long. Where 55 % of the channels need them, they alone are
// faster than exact kernels for all and lanes for these, and weights are packed once.
Split split_of(const Layer<int8_t>& layer, const ShiftSums& sums, Channels unproven) {
  const Channels all{0, layer.window.out_c};
  if (unproven.none()) return {all, unproven};
  if (layer.depthwise) return {{}, all};
  const Channels in_lanes{0, static_cast<int>(sums.lanes)};
  if (20 * (unproven.end - unproven.begin) < 11 * in_lanes.end) return {all, unproven};
  const bool one_pixel = layer.window.batch * layer.window.out_h * layer.window.out_w == 1;
  const Channels others{in_lanes.end, all.end};
  if (others.none() || one_pixel) return {others, in_lanes};
  return {all, unproven};
}

// The kernels of one layer: exact ones, saturating ones, or both.
struct Kernels8 {
  std::shared_ptr<const kernels::PackedConv> exact;
  std::shared_ptr<const kernels::LaneConv> lanes;
  int exact_begin = 0;  // channel; not 0 only where the picture has one pixel
  size_t first = 0;     // scratch bytes of the exact ones

  bool any() const { return exact != nullptr || lanes != nullptr; }
  size_t scratch_bytes(int threads) const {
    return first + (lanes == nullptr ? 0 : lanes->scratch_bytes(threads));
  }
  void run(const int8_t* x, int8_t* y, std::byte* scratch, ThreadPool& pool,
           std::atomic<int64_t>& differing) const {
    if (exact) exact->run(x, y + exact_begin, scratch, pool);
    if (!lanes) return;
    differing.fetch_add(lanes->run(x, y, scratch + first, pool), std::memory_order_relaxed);
  }
};

// None where a part of the layer has no kernel.
Kernels8 kernels_for(const Layer<int8_t>& layer, const ShiftSums& sums, kernels::Isa isa,
                     int threads) {
  const Channels unproven = unproven_lanes(layer, sums);
  // Saturation at 32 bits (ESP32-P4) is left to the plain operator.
  if (!unproven.none() && sums.lane_bits != 20) return {};
  const Split split = split_of(layer, sums, unproven);
  Kernels8 k;
  k.exact_begin = split.exact.begin;
  if (!split.exact.none()) k.exact = make_exact(layer, sums, split.exact, isa);
  if (!split.lanes.none()) k.lanes = make_lanes(layer, sums, split.lanes, isa);
  if (!split.exact.none() && k.exact == nullptr) return {};
  if (!split.lanes.none() && k.lanes == nullptr) return {};
  k.first = k.exact == nullptr ? 0 : rounded(k.exact->scratch_bytes(threads));
  return k;
}

int shift_of(const ShiftSums& sums, size_t channel) {
  return (*sums.shifts)[sums.shifts->size() == 1 ? 0 : channel];
}

// Channels whose sums or shifts leave 32 bits.
std::vector<int> beyond_32_bits(const Layer<int8_t>& layer, const ShiftSums& sums) {
  const auto channels = static_cast<size_t>(layer.window.out_c);
  const size_t taps = layer.taps();
  std::vector<int> found;
  for (size_t o = 0; o < channels; ++o) {
    int64_t bound = std::abs((*sums.exact_bias)[o]);
    for (size_t k = 0; k < taps; ++k) {
      const int64_t weight = layer.weights[layer.depthwise ? k * channels + o : o * taps + k];
      bound += 128 * std::abs(weight);
    }
    const int shift = shift_of(sums, o);
    if (bound > std::numeric_limits<int32_t>::max() || shift < 0 || shift > 31) {
      found.push_back(static_cast<int>(o));
    }
  }
  return found;
}

// A layer in which some channels are all zero.
struct Emptied {
  std::vector<int8_t> weights;
  std::vector<int64_t> bias;
  std::vector<int> shifts;

  Emptied(const Layer<int8_t>& layer, const ShiftSums& sums, const std::vector<int>& which) {
    const auto channels = static_cast<size_t>(layer.window.out_c);
    const size_t taps = layer.taps();
    weights.assign(layer.weights, layer.weights + channels * taps);
    bias = *sums.exact_bias;
    for (size_t o = 0; o < channels; ++o) shifts.push_back(shift_of(sums, o));
    for (const int channel : which) {
      const auto o = static_cast<size_t>(channel);
      bias[o] = shifts[o] = 0;
      for (size_t k = 0; k < taps; ++k) {
        weights[layer.depthwise ? k * channels + o : o * taps + k] = 0;
      }
    }
  }
};

// Null where a sum could leave its lane, or where no kernel takes the layer.
std::shared_ptr<const kernels::PackedConv16> kernels_for(const Layer<int16_t>& layer,
                                                         const ShiftSums& sums, kernels::Isa isa) {
  const auto reach = reach_of(layer.weights, layer.channels(), layer.taps(), layer.depthwise,
                              layer.input, *sums.exact_bias);
  for (size_t o = 0; o < reach.size(); ++o) {
    const bool lane = static_cast<int64_t>(o) < sums.lanes;
    const int bits = lane ? sums.lane_bits : (sums.scalar ? 40 : 0);
    const bool wraps = (*sums.lane_bias)[o] != (*sums.exact_bias)[o];
    if (wraps || (bits != 0 && !stays_within(reach[o], bits))) return nullptr;
  }
  kernels::Conv16Spec spec;
  spec.window = layer.window;
  spec.depthwise = layer.depthwise;
  spec.weights = layer.weights;
  spec.bias = sums.exact_bias->data();
  spec.tail = tail_of(sums, -32768, 32767);
  spec.isa = isa;
  return kernels::PackedConv16::make(spec);
}

}  // namespace

bool make_fast_shift8(const OpContext& c, const ShiftSums& given, const Window2D& window,
                      bool depthwise, Prepared& prepared, std::vector<int>& left) {
  const auto isa = isa_of(c.options().isa);
  if (!c.options().fast || c.constant(1) == nullptr || !isa) return false;
  Layer<int8_t> layer = layer_of<int8_t>(c, window, depthwise);
  ShiftSums sums = given;
  std::optional<Emptied> emptied;
  // Sums of the ESP32-S3's narrow lanes stay far within 32 bits.
  if (sums.lane_bits != 20) left = beyond_32_bits(layer, sums);
  if (4 * left.size() > static_cast<size_t>(window.out_c)) return false;
  if (!left.empty()) {
    emptied.emplace(layer, sums, left);
    layer.weights = emptied->weights.data();
    sums.exact_bias = sums.lane_bias = &emptied->bias;
    sums.shifts = &emptied->shifts;
  }
  const Kernels8 k = kernels_for(layer, sums, *isa, c.options().threads);
  if (!k.any()) return false;
  prepared.scratch_bytes = k.scratch_bytes(c.options().threads);
  prepared.packed = left.empty();
  prepared.path = k.exact == nullptr ? "" : k.exact->path();
  if (k.lanes) prepared.path += (k.exact ? ", " : "") + std::string(k.lanes->path());
  prepared.run = [k, counter = sums.differing](const Args& args) -> Status {
    k.run(args.input<int8_t>(0), args.output<int8_t>(0), args.scratch, args.pool, *counter);
    return Ok{};
  };
  return true;
}

bool run_fast_shift(const ShiftSums& sums, const std::string& isa_name,
                    const MatrixProduct<int8_t>& p, ThreadPool& pool) {
  const auto isa = isa_of(isa_name);
  if (!isa) return false;
  const Window2D window = kernels::fully_connected_window(p.rows, p.depth, p.columns);
  const Kernels8 k = kernels_for({window, false, p.b, {-128, 127}}, sums, *isa, pool.size());
  if (!k.any()) return false;
  Bytes scratch(k.scratch_bytes(pool.size()));
  k.run(p.a, p.out, scratch.data(), pool, *sums.differing);
  return true;
}

bool run_fast_shift(const ShiftSums& sums, const std::string& isa_name,
                    const MatrixProduct<int16_t>& p, ThreadPool& pool) {
  const auto isa = isa_of(isa_name);
  if (!isa) return false;
  const Window2D window = kernels::fully_connected_window(p.rows, p.depth, p.columns);
  const auto packed = kernels_for({window, false, p.b, {-32768, 32767}}, sums, *isa);
  if (packed == nullptr) return false;
  Bytes scratch(packed->scratch_bytes(pool.size()));
  packed->run(p.a, p.out, scratch.data(), pool);
  return true;
}

bool make_fast_shift16(const OpContext& c, const ShiftSums& sums, const Window2D& window,
                       bool depthwise, Prepared& prepared) {
  const auto isa = isa_of(c.options().isa);
  if (!c.options().fast || c.constant(1) == nullptr || !isa) return false;
  const auto packed = kernels_for(layer_of<int16_t>(c, window, depthwise), sums, *isa);
  if (packed == nullptr) return false;
  prepared.scratch_bytes = packed->scratch_bytes(c.options().threads);
  prepared.path = packed->path();
  prepared.packed = true;
  prepared.run = [packed](const Args& args) -> Status {
    packed->run(args.input<int16_t>(0), args.output<int16_t>(0), args.scratch, args.pool);
    return Ok{};
  };
  return true;
}

}  // namespace edgetwin::ops
