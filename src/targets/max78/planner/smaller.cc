#include "targets/max78/planner/smaller.h"

#include <algorithm>

namespace edgetwin::max78 {
namespace {

using ai8x::Layer;
using ai8x::LayerParameters;

constexpr int kNarrow = 4;  // bits

// The first `keep` of `had` inputs of every output.
void keep_inputs(LayerParameters& p, int keep) {
  const auto taps = static_cast<size_t>(p.kernel.h * p.kernel.w);
  const auto row = static_cast<size_t>(p.in) * taps;
  const auto kept = static_cast<size_t>(keep) * taps;
  std::vector<int8_t> weights;
  weights.reserve(static_cast<size_t>(p.out) * kept);
  for (size_t at = 0; at + row <= p.weights.size(); at += row) {
    const auto first = p.weights.begin() + static_cast<std::ptrdiff_t>(at);
    weights.insert(weights.end(), first, first + static_cast<std::ptrdiff_t>(kept));
  }
  p.weights = std::move(weights);
  p.in = keep;
}

void keep_outputs(LayerParameters& p, int keep) {
  const size_t row = p.weights.size() / static_cast<size_t>(std::max(p.out, 1));
  p.weights.resize(static_cast<size_t>(keep) * row);
  if (!p.bias.empty()) p.bias.resize(static_cast<size_t>(keep));
  p.out = p.out_channels = keep;
}

class ChannelCut {
 public:
  explicit ChannelCut(SmallerNetwork& n) : n_(n) {}

  bool outputs(int layer, int channels) {
    LayerParameters& p = parameters(layer);
    Layer& l = at(layer);
    if (!p.has_weights() || l.weight_source || shared(layer)) return false;
    if (channels < 1 || channels >= p.out) return false;
    const int had = p.out;
    keep_outputs(p, channels);
    if (l.out_channels) l.out_channels = channels;
    return readers(layer, had, channels);
  }

 private:
  Layer& at(int i) { return n_.network.layers[static_cast<size_t>(i)]; }
  LayerParameters& parameters(int i) { return n_.parameters.layers[static_cast<size_t>(i)]; }

  bool shared(int layer) const {
    return std::ranges::any_of(n_.network.layers,
                               [&](const Layer& l) { return l.weight_source == layer; });
  }

  bool reads(int reader, int layer) {
    const auto& from = at(reader).in_sequences;
    if (from) return std::ranges::find(*from, layer) != from->end();
    return at(layer).next_sequence == reader;
  }

  // Every reader gets fewer channels; at least one reads it.
  bool readers(int layer, int had, int channels) {
    if (at(layer).output) return false;
    bool any = false;
    for (int r = 0; r < static_cast<int>(n_.network.layers.size()); ++r) {
      if (r == layer || !reads(r, layer)) continue;
      any = true;
      if (!input(r, had, channels)) return false;
    }
    return any;
  }

  bool input(int reader, int had, int channels) {
    Layer& l = at(reader);
    LayerParameters& p = parameters(reader);
    const bool several = l.in_sequences && l.in_sequences->size() > 1;
    if (several || l.operands > 1 || l.buffer_insert || l.buffer_shift) return false;
    if (l.in_channels) l.in_channels = channels;
    if (!p.has_weights()) {
      if (l.out_channels) l.out_channels = channels;
      p.in_channels = p.out_channels = 0;
      return readers(reader, had, channels);
    }
    if (l.weight_source || shared(reader)) return false;
    if (l.groups > 1) {
      if (l.groups != had || p.out != had) return false;
      l.groups = channels;
      keep_outputs(p, channels);
      p.in_channels = channels;
      if (l.out_channels) l.out_channels = channels;
      return readers(reader, had, channels);
    }
    if (p.in % had != 0) return false;
    keep_inputs(p, p.in / had * channels);  // a flattened layer has pixels of each channel
    p.in_channels = p.in;
    return true;
  }

  SmallerNetwork& n_;
};

}  // namespace

bool reduce_channels(SmallerNetwork& n, int layer, int channels) {
  return ChannelCut(n).outputs(layer, channels);
}

bool fold_input(SmallerNetwork& n, int first) {
  constexpr int kMostChannels = 1024;
  if (first < 0 || static_cast<size_t>(first) >= n.network.layers.size()) return false;
  Layer& l = n.network.layers[static_cast<size_t>(first)];
  LayerParameters& p = n.parameters.layers[static_cast<size_t>(first)];
  const bool plain = l.op == Operator::conv2d && l.operands == 1 && l.groups == 1 &&
                     !l.weight_source && !l.flatten && p.has_weights();
  if (!plain || n.sample.h % 2 != 0 || n.sample.w % 2 != 0) return false;
  for (size_t i = 0; i < n.network.layers.size(); ++i) {
    const Layer& o = n.network.layers[i];
    const bool reads =
        o.in_sequences && std::ranges::find(*o.in_sequences, ai8x::kInput) != o.in_sequences->end();
    const bool other = static_cast<int>(i) != first;
    if (other && (o.in_dim || reads || o.weight_source == first)) return false;
    // A row of pixels would have another length.
    if (o.flatten) return false;
  }
  if (4 * n.sample.c > kMostChannels) return false;
  n.sample = {4 * n.sample.c, n.sample.h / 2, n.sample.w / 2};
  if (l.in_dim) l.in_dim = Size2{n.sample.h, n.sample.w};
  if (l.in_channels) l.in_channels = n.sample.c;
  std::vector<int8_t> weights;
  const size_t row = p.weights.size() / static_cast<size_t>(std::max(p.out, 1));
  for (size_t at = 0; at + row <= p.weights.size(); at += row) {
    for (int k = 0; k < 4; ++k) {
      const auto from = p.weights.begin() + static_cast<std::ptrdiff_t>(at);
      weights.insert(weights.end(), from, from + static_cast<std::ptrdiff_t>(row));
    }
  }
  p.weights = std::move(weights);
  p.in *= 4;
  p.in_channels = p.in;
  return true;
}

bool narrow_weights(SmallerNetwork& n, int layer) {
  LayerParameters& p = n.parameters.layers[static_cast<size_t>(layer)];
  Layer& l = n.network.layers[static_cast<size_t>(layer)];
  if (!p.has_weights() || p.quantization != 8) return false;
  constexpr int kLess = 8 - kNarrow;
  p.quantization = kNarrow;
  for (int8_t& w : p.weights) w = static_cast<int8_t>(w >> kLess);
  if (p.output_shift) *p.output_shift += kLess;
  if (l.quantization) l.quantization = kNarrow;
  return true;
}

}  // namespace edgetwin::max78
