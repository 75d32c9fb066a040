#include "targets/edgetpu/decompile/operands/open_channels.h"

#include <algorithm>

#include "targets/edgetpu/decompile/operands/channel_selection.h"
#include "targets/edgetpu/decompile/stages/channel_words.h"

namespace edgetwin::edgetpu {
namespace {

// The matrix whose whole result is all that the layer reads; nothing: another operand.
std::optional<size_t> open_producer(const LayerSearch& search, const DecompiledLayer& layer) {
  if (!has_weights(layer.type) || layer.inputs.size() != 1) return std::nullopt;
  const Operand& o = layer.inputs.front();
  const bool whole = o.from.size() == 1 && o.from[0] >= 0 && o.taken.empty() && o.moved.empty() &&
                     o.row_channels == 0;
  if (!whole) return std::nullopt;
  const auto p = static_cast<size_t>(o.from[0]);
  const DecompiledLayer& made = search.result.layers[p];
  const bool open = made.type == LayerType::concat && made.problem.empty() &&
                    static_cast<int>(made.rows.size()) == round4(made.out.c) && made.out.c % 4 != 0;
  return open ? std::optional(p) : std::nullopt;
}

// Weights of a convolution as [output][position of the window][channel]; of a depthwise layer,
// whose outputs are its channels, [channel][position].
struct ChannelWeights {
  const BlockContent& content;
  size_t outputs = 1, channels = 1;
  bool depthwise = false;

  size_t output_of(size_t n) const { return n / (content.weights.size() / outputs); }
  size_t channel_of(size_t n) const { return depthwise ? output_of(n) : n % channels; }
  bool real(size_t n) const {
    const size_t z = content.zero_points.size() > 1 ? output_of(n) : 0;
    return static_cast<uint8_t>(content.weights[n]) != content.zero_points[z];
  }
};

int last_channel(const ChannelWeights& w) {
  size_t last = 0;
  for (size_t n = 0; n < w.content.weights.size(); ++n) {
    if (w.real(n)) last = std::max(last, w.channel_of(n) + 1);
  }
  for (size_t c = 0; w.depthwise && c < w.content.bias.size(); ++c) {
    if (w.content.bias[c] != 0) last = std::max(last, c + 1);
  }
  return static_cast<int>(last);
}

void cut_weights(DecompiledLayer& l, const ChannelWeights& w, int channels) {
  const auto kept = static_cast<size_t>(channels);
  Bytes weights;
  for (size_t n = 0; n < l.content.weights.size(); ++n) {
    if (w.channel_of(n) < kept) weights.push_back(l.content.weights[n]);
  }
  l.content.weights = std::move(weights);
  l.in.c = channels;
  if (!w.depthwise) {
    l.shape.in = channels;
    return;
  }
  BlockContent& c = l.content;
  if (c.bias.size() > kept) c.bias.resize(kept);
  if (c.scales.size() > kept) c.scales.resize(kept);
  if (c.zero_points.size() > 1) c.zero_points.resize(kept);
  l.out.c = l.shape.out = channels;
}

// Its result with more channels of real 0. False: its operand cannot be put together so.
bool fill_channels(DecompiledLayer& l, int channels) {
  if (channels == l.out.c) return true;
  Operand& o = l.inputs.front();
  std::vector<int> parts, rows;
  int begin = 0;
  const auto add = [&](int count) {
    for (int k = 0; k < count; ++k) rows.push_back(begin + k);
    parts.push_back(count);
    begin += round4(count);
  };
  for (const MovedPart& p : o.moved) add(p.chunk);
  for (size_t i = 0; o.moved.empty() && i < o.from.size(); ++i) {
    add(o.taken.empty() ? l.out.c : o.taken[i].count);
  }
  if (static_cast<int>(rows.size()) != l.out.c) return false;
  rows.resize(static_cast<size_t>(channels), -1);
  auto filled = take_or_fill_channels(o, parts, rows, l.out);
  if (!filled) return false;
  o = *std::move(filled);
  l.out.c = channels;
  return true;
}

}  // namespace

int take_open_channels(const LayerSearch& search, DecompiledLayer& layer) {
  const auto p = open_producer(search, layer);
  if (!p) return 0;
  layer.in.c = round4(layer.in.c);
  return search.result.layers[*p].out.c;
}

void close_channels(LayerSearch& search, DecompiledLayer& layer, int certain) {
  if (!layer.problem.empty()) return;
  const auto p = open_producer(search, layer);
  const bool depthwise = layer.type == LayerType::depthwise;
  // The file may name fewer outputs, which are the channels of a depthwise layer.
  if (depthwise && layer.out.c >= certain) layer.in.c = layer.out.c;
  const auto channels = static_cast<size_t>(layer.in.c);
  const auto outputs = static_cast<size_t>(layer.shape.out);
  const auto all = layer.content.weights.size();
  const bool fits = p && outputs > 0 && channels > 0 && all > 0 && all % outputs == 0 &&
                    (depthwise ? outputs == channels : all / outputs % channels == 0);
  if (fits) {
    const BlockContent before = layer.content;
    const ChannelWeights weights{before, outputs, channels, depthwise};
    const int real = std::max(certain, last_channel(weights));
    cut_weights(layer, weights, real);
    if (fill_channels(search.result.layers[*p], real)) return;
  }
  layer.problem = "it is not known how many channels its input has";
}

}  // namespace edgetwin::edgetpu
