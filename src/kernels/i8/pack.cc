// Weights in the order in which kernels read them, and the constants that make up for zero points.
//
// Wanted is sum (x - zx)(w - zw). With two-byte elements (AVX2) that is what is multiplied. With
// one-byte elements the dot instruction multiplies unsigned by signed bytes. Let x' = x ^ flip and
// zx' be the unsigned forms, and w' = w - k a signed form of the weight for some constant k, zw' =
// zw - k:
//   sum (x' - zx')(w' - zw') = sum x' w' - zw' sum x' - zx' sum w' + n zx' zw'.
// The last two terms are constants of the channel and join the bias. The second is a term of the
// pixel. It vanishes with k = zw, which is possible if all w - zw fit a signed byte. Padding is
// stored as zx', so that n is the same for all pixels. All of it holds modulo 2^32.
//
// A depthwise layer would need that term per pixel and channel. Instead its weights w - zw are
// split into up to three signed bytes (planes), which are multiplied by the same taps in turn.
#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "kernels/i8/plan.h"
#include "kernels/i8/tail_plan.h"

namespace edgetwin::kernels {
namespace {

int weight_at(const Conv8Spec& spec, std::size_t i) {
  return spec.is_unsigned ? static_cast<const uint8_t*>(spec.weights)[i]
                          : static_cast<const int8_t*>(spec.weights)[i];
}

// The largest |x - zx| there is.
int64_t input_bound(const Conv8Spec& spec) {
  const int lowest = spec.is_unsigned ? 0 : -128;
  return std::max(std::abs(lowest - spec.input_zero_point),
                  std::abs(lowest + 255 - spec.input_zero_point));
}

int32_t bias_at(const Conv8Spec& spec, int channel) {
  return spec.bias == nullptr ? 0 : spec.bias[channel];
}

// Reads the weights of one layer as they enter the sums.
struct Weights {
  const Conv8Spec& spec;
  int offset = 0;  // the constant k

  int at(std::size_t i) const { return weight_at(spec, i) - offset; }
  int real(std::size_t i) const { return weight_at(spec, i) - spec.weight_zero_point; }
};

bool all_fit_signed_byte(const Weights& weights, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const int w = weights.real(i);
    if (w < -128 || w > 127) return false;
  }
  return true;
}

// The order of channels within a block of two vectors makes the narrowing instructions, which work
// in pieces of 128 bits, deliver the bytes of a pixel in order.
std::vector<int> dense_lane_channels(const ConvPlan& plan) {
  const int lanes = plan.table->lanes;
  std::vector<int> channels;
  for (int block = 0; block < plan.blocks; ++block) {
    for (int v = 0; v < plan.vectors; ++v) {
      for (int lane = 0; lane < lanes; ++lane) {
        const int within = plan.vectors == 1 ? lane : lane / 4 * 8 + v * 4 + lane % 4;
        const int channel = block * plan.block_channels() + within;
        channels.push_back(channel < plan.window.out_c ? channel : -1);
      }
    }
  }
  return channels;
}

void put_element(const ConvPlan& plan, std::size_t element, int value) {
  if (plan.table->element_bytes == 1) {
    plan.weights.data()[element] = static_cast<int8_t>(value);
  } else {
    reinterpret_cast<int16_t*>(plan.weights.data())[element] = static_cast<int16_t>(value);
  }
}

struct ChannelSums {
  int64_t weights = 0;    // of w'
  int64_t magnitude = 0;  // of |w - zw|
};

int32_t wrapped(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }

template <class Source>
ChannelSums sums_over(const Source* row, int64_t count, int offset, int zero_point) {
  // Two sums of 32 bits are quicker than two of 64; so many bytes cannot leave them.
  constexpr int64_t kTogether = int64_t{1} << 20U;
  ChannelSums sums;
  for (int64_t first = 0; first < count; first += kTogether) {
    const int64_t end = std::min(count, first + kTogether);
    int32_t weights = 0;
    int32_t magnitude = 0;
    for (int64_t i = first; i < end; ++i) {
      weights += row[i];
      magnitude += std::abs(row[i] - zero_point);
    }
    sums.weights += weights;
    sums.magnitude += magnitude;
  }
  sums.weights -= count * offset;
  return sums;
}

ChannelSums channel_sums(const Weights& w, int channel, int64_t count) {
  const int64_t from = channel * count;
  const int zero_point = w.spec.weight_zero_point;
  return w.spec.is_unsigned ? sums_over(static_cast<const uint8_t*>(w.spec.weights) + from, count,
                                        w.offset, zero_point)
                            : sums_over(static_cast<const int8_t*>(w.spec.weights) + from, count,
                                        w.offset, zero_point);
}

// Rows of channels become columns of lanes, in the order in which they are written: a row's bytes
// of many steps are in the cache, a column's would not be. `Taps` are those of a step.
template <int Taps, class Element, class Source>
void interleave(const Source* weights, int offset, std::span<const int> channels,
                const ConvPlan& plan, Element* to) {
  const auto lanes = static_cast<std::size_t>(plan.table->lanes * plan.vectors);
  const int64_t row = int64_t{plan.runs} * plan.run_elements;
  std::vector<const Source*> rows(lanes);
  for (std::size_t first = 0; first < channels.size(); first += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const int channel = channels[first + lane];
      rows[lane] = channel < 0 ? nullptr : weights + channel * row;
    }
    for (int64_t step = 0; step < int64_t{plan.runs} * plan.run_steps; ++step) {
      const int64_t within = step % plan.run_steps * Taps;
      const int64_t from = step / plan.run_steps * plan.run_elements + within;
      const int64_t count = std::min<int64_t>(Taps, plan.run_elements - within);
      for (std::size_t lane = 0; lane < lanes; ++lane, to += Taps) {
        if (rows[lane] == nullptr) continue;
        const Source* x = rows[lane] + from;
        if (count == Taps) {
          for (int k = 0; k < Taps; ++k) to[k] = static_cast<Element>(x[k] - offset);
        } else {
          for (int64_t k = 0; k < count; ++k) to[k] = static_cast<Element>(x[k] - offset);
        }
      }
    }
  }
}

template <int Taps, class Element>
void interleave_spec(const Weights& w, std::span<const int> channels, const ConvPlan& plan,
                     Element* to) {
  if (w.spec.is_unsigned) {
    interleave<Taps>(static_cast<const uint8_t*>(w.spec.weights), w.offset, channels, plan, to);
  } else {
    interleave<Taps>(static_cast<const int8_t*>(w.spec.weights), w.offset, channels, plan, to);
  }
}

void finish_tail(const Conv8Spec& spec, ConvPlan& plan, const std::vector<int64_t>& bounds,
                 const std::vector<int>& channels) {
  plan.tail = plan_tail({spec, bounds, channels, plan.table->lanes}, plan.tail_words);
  if (spec.float_tail) {
    const FloatReach reach = float_reach(*spec.float_tail, bounds);
    plan.open = reach == FloatReach::beyond;
    plan.tail.large = reach == FloatReach::large ? spec.float_tail->large : nullptr;
  }
  if (!spec.shift_tail) return;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (channels[i] < 0) continue;
    plan.bias.data()[i] = wrapped(int64_t{plan.bias.data()[i]} +
                                  tail_bias(*spec.shift_tail, plan.tail.kind, channels[i]));
  }
}

std::size_t dense_steps(const ConvPlan& plan) {
  return static_cast<std::size_t>(plan.runs) * static_cast<std::size_t>(plan.run_steps);
}

// What makes up for the zero points and comes after the sums; the weights are packed.
void finish_dense(const Weights& weights, ConvPlan& plan, const std::vector<int>& channels) {
  const Conv8Spec& spec = weights.spec;
  const int64_t zw = spec.weight_zero_point - weights.offset;
  const int64_t zx = plan.table->element_bytes == 2 ? 0 : plan.encoding.zero_point;
  const int64_t window_elements = int64_t{plan.runs} * plan.run_elements;
  plan.term_factor = static_cast<int32_t>(-zw);
  plan.bias = AlignedArray<int32_t>(channels.size());
  std::vector<int64_t> bounds(static_cast<std::size_t>(plan.window.out_c), 0);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const int channel = channels[i];
    if (channel < 0) continue;
    const ChannelSums sums = channel_sums(weights, channel, window_elements);
    const int64_t bias = bias_at(spec, channel);
    plan.bias.data()[i] = wrapped(bias - zx * sums.weights + window_elements * zx * zw);
    bounds[static_cast<std::size_t>(channel)] = sums.magnitude * input_bound(spec) + std::abs(bias);
  }
  finish_tail(spec, plan, bounds, channels);
}

}  // namespace

void pack_dense(const Conv8Spec& spec, ConvPlan& plan) {
  const auto count = static_cast<std::size_t>(plan.window.out_c) *
                     static_cast<std::size_t>(plan.runs * plan.run_elements);
  Weights weights{spec, spec.weight_zero_point};
  const bool wide = plan.table->element_bytes == 2;
  if (!wide && !all_fit_signed_byte(weights, count)) weights.offset = spec.is_unsigned ? 128 : 0;
  const std::vector<int> channels = dense_lane_channels(plan);
  plan.weights = AlignedArray<int8_t>(channels.size() * 4 * dense_steps(plan));
  if (wide) {
    interleave_spec<2>(weights, channels, plan, reinterpret_cast<int16_t*>(plan.weights.data()));
  } else {
    interleave_spec<4>(weights, channels, plan, plan.weights.data());
  }
  finish_dense(weights, plan, channels);
}

bool pack_grouped(const Conv8Spec& spec, ConvPlan& plan) {
  const Weights weights{spec, spec.weight_zero_point};
  const std::vector<int> channels = dense_lane_channels(plan);
  const int lanes = plan.block_channels();
  // The last block has fewer channels than the one before.
  const auto read = [&](int block, int16_t* words) {
    const auto own = std::span(channels).subspan(static_cast<std::size_t>(block * lanes),
                                                 static_cast<std::size_t>(lanes));
    if (std::ranges::any_of(own, [](int channel) { return channel < 0; })) {
      std::fill_n(words, dense_steps(plan) * static_cast<std::size_t>(lanes) * 4, int16_t{0});
    }
    interleave_spec<4>(weights, own, plan, words);
  };
  auto grouped = group_weights({read, plan.blocks, plan.runs, plan.run_steps, lanes});
  if (!grouped) return false;
  plan.grouped = std::move(*grouped);
  finish_dense(weights, plan, channels);
  return true;
}

namespace {

// The part of weight w that plane p holds; the planes add up to w.
int plane_part(int w, int plane) {
  int part = 0;
  for (int p = 0; p <= plane; ++p) {
    part = std::clamp(w, -128, 127);
    w -= part;
  }
  return part;
}

int planes_needed(const Weights& weights, std::size_t count, bool wide) {
  if (wide) return 1;
  int planes = 1;
  for (std::size_t i = 0; i < count; ++i) {
    while (plane_part(weights.real(i), planes) != 0) ++planes;
  }
  return planes;
}

// Where a channel is among all lanes of all blocks; kernel_table.h has the order of four vectors.
int depthwise_lane(const ConvPlan& plan, int channel) {
  if (plan.vectors == 1) return channel;
  const int lanes = plan.table->lanes;
  if (plan.vectors == 2) {
    const int within = channel % (2 * lanes);
    return channel - within + within % 8 / 4 * lanes + within / 8 * 4 + within % 4;
  }
  const int block = channel / (4 * lanes), within = channel % (4 * lanes);
  return (block * 4 + within % 16 / 4) * lanes + within / 16 * 4 + within % 4;
}

// All places of one tap's weight: every plane, every phase.
void pack_tap(const ConvPlan& plan, int index, int ky, int kx, int value) {
  const int taps = plan.table->taps_per_dot, channels = plan.block_channels();
  const int block = index / channels, lane = index % channels;
  const bool wide = plan.table->element_bytes == 2;
  for (int phase = 0; phase < plan.phases; ++phase) {
    const int tap = kx + phase * plan.window.stride_w;
    const int row = (block * plan.phases + phase) * plan.window.kernel_h + ky;
    for (int plane = 0; plane < plan.planes; ++plane) {
      const int vector = (row * plan.groups + tap / taps) * plan.planes + plane;
      const auto to = static_cast<std::size_t>((vector * channels + lane) * taps + tap % taps);
      put_element(plan, to, wide ? value : plane_part(value, plane));
    }
  }
}

ChannelSums pack_depthwise_channel(const Weights& weights, const ConvPlan& plan, int channel) {
  const Window2D& w = plan.window;
  const int lane = depthwise_lane(plan, channel);
  ChannelSums sums;
  for (int ky = 0; ky < w.kernel_h; ++ky) {
    for (int kx = 0; kx < w.kernel_w; ++kx) {
      const int value =
          weights.real(static_cast<std::size_t>((ky * w.kernel_w + kx) * w.out_c + channel));
      pack_tap(plan, lane, ky, kx, value);
      sums.weights += value;
      sums.magnitude += std::abs(value);
    }
  }
  return sums;
}

}  // namespace

void pack_depthwise(const Conv8Spec& spec, ConvPlan& plan) {
  const Window2D& w = plan.window;
  const Weights weights{spec, spec.weight_zero_point};
  const bool wide = plan.table->element_bytes == 2;
  const auto taps = static_cast<std::size_t>(w.kernel_h * w.kernel_w);
  plan.planes = planes_needed(weights, taps * static_cast<std::size_t>(w.out_c), wide);
  const int64_t zx = plan.in_place ? spec.input_zero_point : wide ? 0 : plan.encoding.zero_point;
  const auto lanes = static_cast<std::size_t>(plan.blocks * plan.block_channels());
  plan.weights = AlignedArray<int8_t>(
      lanes * 4 * static_cast<std::size_t>(plan.phases * w.kernel_h * plan.groups * plan.planes));
  plan.bias = AlignedArray<int32_t>(lanes);
  std::vector<int> channels(lanes, -1);
  std::vector<int64_t> bounds(static_cast<std::size_t>(w.out_c), 0);
  for (int channel = 0; channel < w.out_c; ++channel) {
    const auto i = static_cast<std::size_t>(depthwise_lane(plan, channel));
    const ChannelSums sums = pack_depthwise_channel(weights, plan, channel);
    const int64_t bias = bias_at(spec, channel);
    channels[i] = channel;
    plan.bias.data()[i] = wrapped(bias - zx * sums.weights);
    bounds[static_cast<std::size_t>(channel)] = sums.magnitude * input_bound(spec) + std::abs(bias);
  }
  finish_tail(spec, plan, bounds, channels);
}

}  // namespace edgetwin::kernels
