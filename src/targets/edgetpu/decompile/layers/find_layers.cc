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
#include "targets/edgetpu/decompile/operands/moved_forms.h"
#include "targets/edgetpu/decompile/operands/open_channels.h"
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

// A picture that comes as a row: the network names its height and width.
void take_given_size(const LayerSearch& search, DecompiledLayer& layer) {
  const auto index = static_cast<size_t>(-1 - layer.inputs.front().from.front());
  if (index >= search.given.size() || layer.out.h != 1) return;
  const Extent2D& e = search.given[index];
  if (e.c == layer.out.c && int64_t{e.h} * e.w == layer.out.w) layer.out = e;
}

void read_numbers(LayerSearch& search, DecompiledLayer& layer) {
  if ((has_weights(layer.type) || layer.type == LayerType::concat) && layer.problem.empty()) {
    read_parameters(layer,
                    {parts_of(search, layer), search.inference, search.caching, search.resident,
                     search.result.replay, !search.lstm},
                    search.used_dense);
  }
  if (layer.type == LayerType::reshape) take_given_size(search, layer);
  if (layer.problem.empty()) take_bias(search, layer);
  take_factor(search, layer);
  if (layer.type == LayerType::add) find_add_weights(search, layer);
  if (layer.type == LayerType::add && layer.numbers.function && layer.problem.empty()) {
    layer.problem = "its sum passes the table of a function";
  }
}

// A matrix of zeros and ones that reads a picture whose positions changed places: `before` its size
// was known.
void select_moved(LayerSearch& search, const DecompiledLayer& before, DecompiledLayer& layer) {
  if (search.lstm) return;
  DecompiledLayer moved = before;
  find_moved_operands(search, moved);
  const Operand& o = moved.inputs.front();
  if (!moved.problem.empty() || o.moved.empty()) return;
  // All positions as a row, in every tile alike, are no picture of these.
  const Extent2D from = extent_of(search, before.inputs.front());
  const bool row = layer.problem.empty() && layer.type == LayerType::reshape;
  if (row && (pieces_of(o) != int64_t{from.h} * from.w || is_flat(o, from))) return;
  moved.in = extent_of(search, o);
  find_size(moved, {search.result.replay, search.stages(), {}});
  read_numbers(search, moved);
  if (moved.problem.empty()) layer = std::move(moved);
}

// Windows whose positions do not fit their picture: perhaps they read a part of it.
void size_part(LayerSearch& search, const DecompiledLayer& before, DecompiledLayer& layer) {
  DecompiledLayer part = before;
  part.seen.clear();
  find_moved_operands(search, part, true);
  const Operand& o = part.inputs.front();
  if (!part.problem.empty() || o.moved.empty()) return;
  part.in = extent_of(search, o);
  find_size(part, {search.result.replay, search.stages(), {}});
  if (part.problem.empty()) layer = std::move(part);
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
  if (layer.type != LayerType::concat) find_moved_operands(search, layer);
  if (!layer.problem.empty()) return;
  if (layer.by_constant) read_constant(search, layer);
  const SizeContext context{search.result.replay, search.stages(), expected_output(search, index)};
  const bool pool = layer.type == LayerType::average_pool && find_pool(search, layer, context);
  int certain = 0;
  if (!pool) {
    layer.in = extent_of(search, layer.inputs.front());
    certain = take_open_channels(search, layer);
  }
  const DecompiledLayer before = layer;
  if (!pool) find_size(layer, context);
  if (!layer.problem.empty() && has_weights(layer.type)) size_part(search, before, layer);
  read_numbers(search, layer);
  if (certain > 0) close_channels(search, layer, certain);
  if (before.type == LayerType::concat) select_moved(search, before, layer);
}

}  // namespace

Result<Layers> find_layers(const darwinn::Executable& inference, const darwinn::Executable* caching,
                           ReplayLimits limits, std::vector<Extent2D> given) {
  LayerSearch search{inference, caching};
  search.given = std::move(given);
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
