#include "targets/edgetpu/decompile/layers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "targets/edgetpu/decompile/add_weights.h"
#include "targets/edgetpu/decompile/checks.h"
#include "targets/edgetpu/decompile/join.h"
#include "targets/edgetpu/decompile/layer_operands.h"
#include "targets/edgetpu/decompile/layer_outputs.h"
#include "targets/edgetpu/decompile/layer_stages.h"
#include "targets/edgetpu/decompile/lstm.h"
#include "targets/edgetpu/decompile/parameters.h"
#include "targets/edgetpu/decompile/producers.h"
#include "targets/edgetpu/decompile/recurrent.h"
#include "targets/edgetpu/decompile/scalar_softmax.h"
#include "targets/edgetpu/decompile/sizes.h"

namespace edgetwin::edgetpu {
namespace {

// The biases of a rescaling, one per channel.
void take_bias(const LayerSearch& search, DecompiledLayer& layer) {
  if (layer.type != LayerType::quantize || !layer.numbers.has_bias) return;
  const auto& blocks = search.stages()[layer.stages.front()].blocks;
  const auto channels = static_cast<size_t>(layer.in.c);
  if (blocks.empty() || blocks.front().cached ||
      channels * 4 > search.inference.parameters.size() - blocks.front().offset) {
    layer.problem = "the numbers that it adds were not found";
    return;
  }
  layer.content.bias.resize(channels);
  std::memcpy(layer.content.bias.data(), search.inference.parameters.data() + blocks.front().offset,
              channels * 4);
}

// Whose words leave for the host tell the size that the file announces.
std::vector<Extent2D> expected_output(LayerSearch& search, size_t index) {
  std::vector<Extent2D> sizes;
  for (const Sent& s : search.result.replay.sent) {
    const Shares all = producer_shares(search, s.votes, 0);
    if (top_producer(all) != static_cast<Producer>(index)) continue;
    for (const darwinn::Layer& l : search.inference.outputs) {
      sizes.push_back({l.y_dim, l.x_dim, l.z_dim});
    }
    break;
  }
  return sizes;
}

void read_numbers(LayerSearch& search, DecompiledLayer& layer) {
  if ((layer.numbers.weighted() || layer.type == LayerType::concat) && layer.problem.empty()) {
    read_parameters(layer,
                    {parts_of(search, layer), search.inference, search.caching, search.resident,
                     search.result.replay},
                    search.used_dense);
  }
  if (layer.problem.empty()) take_bias(search, layer);
  if (layer.type == LayerType::add) find_add_weights(search, layer);
  if (layer.type == LayerType::add && layer.numbers.function && layer.problem.empty()) {
    layer.problem = "its sum passes the table of a function";
  }
}

// Operands, sizes and numbers of a layer whose stages are known; those before it are finished.
void finish(LayerSearch& search, size_t index) {
  DecompiledLayer& layer = search.result.layers[index];
  for (const size_t s : layer.stages) {
    const auto& steps = search.stages()[s].steps;
    layer.steps.insert(layer.steps.end(), steps.begin(), steps.end());
  }
  std::sort(layer.steps.begin(), layer.steps.end());
  if (layer.type == LayerType::lstm) return finish_lstm(search, layer);
  if (!find_operands(search, layer)) return;
  layer.in = extent_of(search, layer.inputs.front());
  find_size(layer, {search.result.replay, search.stages(), expected_output(search, index)});
  read_numbers(search, layer);
}

}  // namespace

std::string_view name(LayerType type) {
  static constexpr std::array<std::string_view, 16> kNames{"CONV_2D",
                                                           "DEPTHWISE_CONV_2D",
                                                           "FULLY_CONNECTED",
                                                           "ADD",
                                                           "MUL",
                                                           "AVERAGE_POOL_2D",
                                                           "MAX_POOL_2D",
                                                           "RESIZE_BILINEAR",
                                                           "SOFTMAX",
                                                           "LOGISTIC",
                                                           "TANH",
                                                           "QUANTIZE",
                                                           "RESHAPE",
                                                           "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                                           "CONCATENATION",
                                                           "not recovered"};
  return kNames[static_cast<size_t>(type)];
}

bool keeps_numbers(LayerType type) {
  return type == LayerType::resize || type == LayerType::reshape || type == LayerType::concat ||
         type == LayerType::max_pool;
}

std::optional<int> zero_point_of(const std::vector<DecompiledLayer>& layers,
                                 const darwinn::Executable& inference, Producer producer) {
  for (size_t depth = 0; producer >= 0 && depth < layers.size(); ++depth) {
    const DecompiledLayer& l = layers[static_cast<size_t>(producer)];
    if (!keeps_numbers(l.type) || l.inputs.empty() || l.inputs.front().from.empty()) {
      return l.numbers.output_zero_point;
    }
    producer = l.inputs.front().from.front();
  }
  const auto index = static_cast<size_t>(-1 - producer);
  if (producer >= 0 || index >= inference.inputs.size()) return std::nullopt;
  const auto& numerics = inference.inputs[index].numerics;
  if (!numerics) return std::nullopt;
  return numerics->zero_point;
}

bool adds_number(const DecompiledLayer& layer) {
  const auto& bias = layer.content.bias;
  constexpr int kByte = 255;
  return layer.type == LayerType::quantize && layer.numbers.has_bias && !bias.empty() &&
         std::abs(int64_t{bias.front()}) <= kByte &&
         std::all_of(bias.begin(), bias.end(), [&](int32_t b) { return b == bias.front(); });
}

Result<Layers> find_layers(const darwinn::Executable& inference, const darwinn::Executable* caching,
                           ReplayLimits limits) {
  LayerSearch search{inference, caching};
  if (caching != nullptr) search.resident = resident_blocks(*caching);
  Layers& found = search.result;
  EDGETWIN_TRY_ASSIGN(found.replay, replay(inference, search.resident, limits));
  search.layer_of.assign(search.stages().size(), -1);
  search.lstm = find_lstm(found.replay, inference);
  place_stages(search);
  for (size_t l = 0; l < found.layers.size(); ++l) finish(search, l);
  find_outputs(search);
  add_scalar_softmax(found, inference);
  join_maps(found, inference);
  check_layers(found, inference, search.resident);
  return std::move(found);
}

}  // namespace edgetwin::edgetpu
