#include "targets/edgetpu/decompile/layers/find_layers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "targets/edgetpu/decompile/layers/add_weights.h"
#include "targets/edgetpu/decompile/layers/band_joins.h"
#include "targets/edgetpu/decompile/layers/checks.h"
#include "targets/edgetpu/decompile/layers/layer_operands.h"
#include "targets/edgetpu/decompile/layers/layer_outputs.h"
#include "targets/edgetpu/decompile/layers/layer_stages.h"
#include "targets/edgetpu/decompile/layers/parameters.h"
#include "targets/edgetpu/decompile/layers/recurrent.h"
#include "targets/edgetpu/decompile/layers/scalar_softmax.h"
#include "targets/edgetpu/decompile/operands/list_pieces.h"
#include "targets/edgetpu/decompile/operands/lstm_stages.h"
#include "targets/edgetpu/decompile/operands/producers.h"
#include "targets/edgetpu/decompile/places/last_reshape.h"
#include "targets/edgetpu/decompile/places/moved_operand.h"
#include "targets/edgetpu/decompile/pools/greatest.h"
#include "targets/edgetpu/decompile/pools/pool_operand.h"
#include "targets/edgetpu/decompile/sizes/sizes.h"

namespace edgetwin::edgetpu {
namespace {

// The biases of a rescaling, one per channel, or the one number that its instruction adds.
void take_bias(const LayerSearch& search, DecompiledLayer& layer) {
  if (!adds(layer)) return;
  if (!layer.numbers.has_bias) {
    layer.content.bias = {layer.numbers.constant};
    return;
  }
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

// A rescaling whose matrix has another number than 1 is a product with this number.
void take_factor(const LayerSearch& search, DecompiledLayer& layer) {
  const auto& factor = search.stages()[layer.stages.front()].factor;
  if (layer.type != LayerType::quantize || adds(layer) || !factor) return;
  if (*factor == 1 && layer.numbers.weight_zero_point == 0) return;
  layer.type = LayerType::mul;
  layer.constant = Bytes(1, std::byte{*factor});
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
  if ((has_weights(layer.type) || layer.type == LayerType::concat) && layer.problem.empty()) {
    read_parameters(layer,
                    {parts_of(search, layer), search.inference, search.caching, search.resident,
                     search.result.replay},
                    search.used_dense);
  }
  if (layer.problem.empty()) take_bias(search, layer);
  take_factor(search, layer);
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
  find_moved_operands(search, layer);
  if (!layer.problem.empty()) return;
  if (layer.by_constant) read_constant(search, layer);
  const SizeContext context{search.result.replay, search.stages(), expected_output(search, index)};
  const bool pool = layer.type == LayerType::average_pool && find_pool(search, layer, context);
  if (!pool) {
    layer.in = extent_of(search, layer.inputs.front());
    find_size(layer, context);
  }
  read_numbers(search, layer);
}

}  // namespace

Result<Layers> find_layers(const darwinn::Executable& inference, const darwinn::Executable* caching,
                           ReplayLimits limits) {
  LayerSearch search{inference, caching};
  if (caching != nullptr) search.resident = resident_blocks(*caching);
  Layers& found = search.result;
  EDGETWIN_TRY_ASSIGN(found.replay, replay(inference, search.resident, limits));
  search.layer_of.assign(search.stages().size(), -1);
  search.lstm = find_lstm(found.replay, inference);
  place_stages(search);
  for (size_t l = 0; l < found.layers.size(); ++l) {
    finish(search, l);
    take_greatest(search, l);
  }
  find_outputs(search);
  keep_last_rows(search);
  add_scalar_softmax(found, inference);
  join_maps(found, inference);
  join_list_pieces(search);
  check_layers(found, inference, search.resident);
  return std::move(found);
}

}  // namespace edgetwin::edgetpu
