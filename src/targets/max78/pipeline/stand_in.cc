#include "targets/max78/pipeline/stand_in.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/rng.h"
#include "targets/max78/network/resolve.h"

namespace edgetwin::max78 {
namespace {

constexpr int kUsualBits = 8;

class StandInMaker {
 public:
  StandInMaker(const ai8x::Network& network, const SampleShape& sample, const Options& options,
               Findings& findings)
      : network_(network), sample_(sample), options_(options), findings_(findings) {}

  StandIn make(uint32_t seed, bool biases) {
    made_.parameters.layers.resize(network_.layers.size());
    for (size_t i = 0; i < network_.layers.size(); ++i) out_channels(i);
    if (!in_channels()) return std::move(made_);
    XorShift32 random(seed);
    for (size_t i = 0; i < network_.layers.size(); ++i) fill(i, random, biases);
    say_bits();
    return std::move(made_);
  }

 private:
  ai8x::LayerParameters& parameters(size_t i) { return made_.parameters.layers[i]; }

  // What reads the layer's results and nothing else.
  const ai8x::Layer* reader(size_t i) const {
    const auto self = static_cast<int>(i);
    for (const ai8x::Layer& l : network_.layers) {
      if (l.flatten || !l.in_sequences || !l.in_channels) continue;
      const bool alone = l.in_sequences->size() == 1 || l.eltwise != ai8x::Eltwise::none;
      if (alone && std::ranges::count(*l.in_sequences, self) > 0) return &l;
    }
    const int next = network_.layers[i].next_sequence;
    if (next < 0 || static_cast<size_t>(next) >= network_.layers.size()) return nullptr;
    const ai8x::Layer& l = network_.layers[static_cast<size_t>(next)];
    const bool plain = !l.in_sequences || l.in_sequences->empty();
    return plain && !l.flatten && l.in_channels ? &l : nullptr;
  }

  uint64_t out_map(size_t i) const {
    const ai8x::Layer& l = network_.layers[i];
    if (l.output_processors) return *l.output_processors;
    const int next = l.next_sequence;
    if (next >= 0 && static_cast<size_t>(next) < network_.layers.size())
      return network_.layers[static_cast<size_t>(next)].processors;
    return network_.output_map.value_or(0);
  }

  void out_channels(size_t i) {
    const ai8x::Layer& l = network_.layers[i];
    ai8x::LayerParameters& p = parameters(i);
    if (l.op == Operator::none || l.bypass) return;
    const ai8x::Layer* next = reader(i);
    if (l.out_channels) {
      p.out_channels = *l.out_channels;
    } else if (l.groups > 1) {
      p.out_channels = l.groups;
    } else if (next != nullptr) {
      p.out_channels = *next->in_channels;
    } else if (const uint64_t map = out_map(i); map != 0) {
      p.out_channels = std::popcount(map);
      made_.assumed.push_back(ai8x::layer_name(network_, i) + " has " +
                              std::to_string(p.out_channels) +
                              " output channels, as many as its output has processors");
    } else {
      p.out_channels = 1;
      made_.assumed.push_back(ai8x::layer_name(network_, i) +
                              " has 1 output channel: nothing says how many, write out_channels");
    }
  }

  // The network without weights: what the sizes follow from.
  ai8x::Network bare() const {
    ai8x::Network net = network_;
    for (ai8x::Layer& l : net.layers) {
      if (l.op == Operator::none) continue;
      l.bypass = true;
      if (!l.in_channels) l.flatten = false;
    }
    return net;
  }

  // Channels of every layer from its sources; of flattened ones after the sizes before them.
  bool in_channels() {
    ai8x::Network net = bare();
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      const ai8x::Layer& l = network_.layers[i];
      if (!l.flatten || net.layers[i].flatten) continue;
      Options until = options_;
      until.stop_after = static_cast<int>(i);
      Findings own;
      const auto resolved = resolve(net, made_.parameters, sample_, until, own);
      if (!resolved || i >= resolved->resolved_layers.size()) return fail(std::move(own));
      const ResolvedLayer& r = resolved->layer(static_cast<int>(i));
      parameters(i).in_channels = r.in_channels * r.pooled_dim.h * r.pooled_dim.w;
      net.layers[i].flatten = true;
    }
    Findings own;
    const auto resolved = resolve(net, made_.parameters, sample_, options_, own);
    if (!resolved) return fail(std::move(own));
    for (const int i : resolved->order) {
      const ResolvedLayer& r = resolved->layer(i);
      const int pixels = r.flatten ? r.pooled_dim.h * r.pooled_dim.w : 1;
      parameters(static_cast<size_t>(i)).in_channels = r.in_channels * pixels;
    }
    return true;
  }

  bool fail(Findings found) {
    std::erase_if(found, [](const Finding& f) { return f.severity != Severity::error; });
    findings_.insert(findings_.end(), found.begin(), found.end());
    return false;
  }

  // Draws each weight, which takes long where -Os leaves calls.
  [[gnu::flatten]] void fill(size_t i, XorShift32& random, bool biases) {
    const ai8x::Layer& l = network_.layers[i];
    ai8x::LayerParameters& p = parameters(i);
    p.output_shift = l.output_shift;
    if (l.op == Operator::none || l.bypass || p.in_channels < 1) {
      p.in_channels = p.out_channels = 0;
      return;
    }
    if (l.weight_source && static_cast<size_t>(*l.weight_source) < i) {
      p = parameters(static_cast<size_t>(*l.weight_source));
      return;
    }
    if (!l.quantization) usual_bits_ = true;
    p.source = "pseudo-random numbers";
    p.quantization = l.quantization.value_or(kUsualBits);
    p.kernel = l.kernel;
    p.out = p.out_channels;
    p.in = std::max(p.in_channels / l.groups, 1);
    const int64_t taps = int64_t{p.in} * l.kernel.h * l.kernel.w;
    p.weights.resize(static_cast<size_t>(p.out * taps));
    for (int8_t& w : p.weights) w = weight(p.quantization, random.byte());
    p.output_shift = l.output_shift.value_or(usual_shift(taps, p.bits())) + 8 - p.bits();
    if (!biases) return;
    p.bias_given = true;
    p.bias.resize(static_cast<size_t>(p.out));
    for (int8_t& b : p.bias) b = static_cast<int8_t>(static_cast<int8_t>(random.byte()) / 4);
  }

  static int8_t weight(int quantization, uint8_t byte) {
    if (quantization == ai8x::kBinary) return byte < 128 ? int8_t{-1} : int8_t{1};
    return static_cast<int8_t>(static_cast<int8_t>(byte) >> (8 - quantization));
  }

  // Weights spread evenly over their bits and activations of the same spread, 74 of 256: a sum of n
  // products, divided by 128, has the spread 74 * 74 * sqrt(n) / 128; the shift brings it to some
  // 74 again. Narrow weights count as shifted to 8 bits, as the chip's shift does.
  static int usual_shift(int64_t taps, int bits) {
    constexpr double kSpread = 74;
    const double spread = kSpread * std::sqrt(static_cast<double>(taps)) / 128;
    const int shift = -static_cast<int>(std::lround(std::log2(std::max(spread, 1.0))));
    return std::clamp(shift, -15, 15 - (8 - bits));
  }

  void say_bits() {
    if (!usual_bits_) return;
    made_.assumed.emplace_back("weights have 8 bits where `quantization` is not written");
  }

  const ai8x::Network& network_;
  const SampleShape& sample_;
  const Options& options_;
  Findings& findings_;
  StandIn made_;
  bool usual_bits_ = false;
};

}  // namespace

StandIn stand_in_parameters(const ai8x::Network& network, const SampleShape& sample,
                            const Options& options, uint32_t seed, bool biases,
                            Findings& findings) {
  return StandInMaker(network, sample, options, findings).make(seed, biases);
}

int first_channels(const ai8x::Network& network, int start_layer) {
  const auto first = static_cast<size_t>(start_layer);
  if (first >= network.layers.size()) return 0;
  const ai8x::Layer& l = network.layers[first];
  return l.in_channels.value_or(std::popcount(l.processors));
}

}  // namespace edgetwin::max78
