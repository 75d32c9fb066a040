// A network with its sizes, channels and order of layers: the first of three stages, each of which
// contains the one before. The second is HardwarePlan (hardware/hardware.h), the third Plan
// (place/plan.h). Source: specification "network" 2.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "formats/ai8x/network.h"
#include "targets/max78/chip/limits.h"
#include "targets/max78/chip/processor_map.h"
#include "targets/max78/options/options.h"
#include "targets/max78/rules/rules.h"

namespace edgetwin::max78 {

using ai8x::Operator;
using ai8x::Size2;

// A layer as the description and the parameters say.
struct ResolvedLayer {
  const ai8x::Layer* yaml = nullptr;
  const ai8x::LayerParameters* parameters = nullptr;
  int index = 0;
  int prev = -1;  // the layer executed before this one; -1: none
  int next = ai8x::kStop;

  Operator op = Operator::none;
  Size2 in_dim, pooled_dim, out_dim;
  Size2 pool, pool_stride, pool_dilation;
  Size2 kernel, pad, dilation;
  int in_channels = 0;  // of one operand, before flattening
  int out_channels = 0;
  int operands = 1;
  int groups = 1;
  uint64_t processors = 0, out_processors = 0;
  int64_t in_offset = 0, out_offset = 0;
  int output_width = 8;
  int shift = 0;         // the whole shift
  int quantization = 8;  // 1, 2, 4, 8, ai8x::kBinary; 0: no weights (passthrough, bypass)
  ai8x::Activation activation = ai8x::Activation::none;
  bool output = false;
  bool flatten = false;
  bool streaming = false;
  bool bypass = false;

  bool pools() const { return pool.h > 1 || pool.w > 1; }
  bool average() const { return yaml->pooling == ai8x::Pooling::average; }
  bool eltwise() const { return operands > 1; }
  bool passthrough() const { return op == Operator::none; }
  bool depthwise() const { return groups > 1; }
  int bits() const { return quantization < 0 ? 1 : (bypass ? 8 : quantization); }
  bool has_bias() const { return parameters != nullptr && !parameters->bias.empty(); }
  // Also one of zeros, which takes no place.
  bool bias_given() const { return parameters != nullptr && parameters->bias_given; }
};

// The sample's shape.
struct SampleShape {
  int c = 0, h = 0, w = 0;
};

// What resolve() makes: never changed after it. The network and the parameters outlive it.
struct ResolvedNetwork {
  const ai8x::Network* network = nullptr;
  const ai8x::Parameters* parameters = nullptr;
  const Limits* chip = nullptr;
  Options options;
  SampleShape sample;
  std::vector<ResolvedLayer> resolved_layers;  // all up to the highest one that runs
  std::vector<int> order;                      // the layers that run, in this order
  int start = 0, last = 0;

  const ResolvedLayer& layer(int i) const { return resolved_layers[static_cast<size_t>(i)]; }
  bool small() const { return chip->device == Device::max78000; }
  bool streams() const;
};

// Adds a finding about `plan`. `key` names the line of the description that it comes from.
Finding& add_finding(Findings& findings, const ResolvedNetwork& plan, Rule rule, int layer,
                     std::string message, std::vector<std::string> details = {},
                     std::optional<ai8x::Key> key = std::nullopt);

}  // namespace edgetwin::max78
