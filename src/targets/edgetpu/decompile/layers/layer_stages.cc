#include "targets/edgetpu/decompile/layers/layer_stages.h"

#include <algorithm>
#include <utility>

#include "targets/edgetpu/decompile/layers/softmax_stages.h"
#include "targets/edgetpu/decompile/operands/producers.h"

namespace edgetwin::edgetpu {
namespace {

LayerType type_of(const Stage& stage) {
  switch (stage.kind) {
    case StageKind::conv:
      return LayerType::conv;
    case StageKind::depthwise:
      return LayerType::depthwise;
    case StageKind::add:
      return LayerType::add;
    case StageKind::mul:
      return LayerType::mul;
    case StageKind::pool:
      return LayerType::average_pool;
    case StageKind::maximum:
      return LayerType::max_pool;
    case StageKind::resize:
      return LayerType::resize;
    case StageKind::logistic:
      return LayerType::logistic;
    case StageKind::tanh:
      return LayerType::tanh;
    case StageKind::rescale:
      return LayerType::quantize;
    case StageKind::selection:
      return LayerType::concat;
    default:
      return LayerType::unknown;
  }
}

// Its levels may be joined in different ways: nothing is summed.
bool each_by_itself(StageKind kind) {
  return kind == StageKind::rescale || kind == StageKind::logistic || kind == StageKind::tanh ||
         kind == StageKind::mul;
}

// Positions as far apart; an instruction of a resize has no numbers.
bool same_enlargement(const LayerSearch& search, const Stage& x, const Stage& y) {
  const auto steps = [&](const Stage& s) {
    const Instruction i = search.result.replay.steps.all[s.steps.front()].instruction();
    return std::pair(i.get("rows.step"), i.get("columns.step"));
  };
  return steps(x) == steps(y);
}

// The same window of a pool: over the edge it has fewer places, and another multiplier.
bool same_window(const Stage& x, const Stage& y) {
  constexpr uint32_t kFromWide = 0x1870;
  return x.kind == StageKind::pool && x.nest.kind == kFromWide && y.nest.kind == kFromWide &&
         x.nest.loop[0] == y.nest.loop[0] && x.nest.loop[1] == y.nest.loop[1] &&
         x.nest.loop[0] * x.nest.loop[1] > 1;
}

// The first tile has a part of every picture: what it has no part in goes on with what was before.
bool begins(const LayerSearch& search, const Stage& stage) {
  const DecodedProgram& steps = search.result.replay.steps;
  return std::ranges::any_of(stage.steps,
                             [&](size_t s) { return (steps.nest(s).tiles & 1U) != 0; });
}

// Whether a tile takes words from the same lines for both.
bool same_lines(const Stage& x, const Stage& y) {
  return std::ranges::any_of(x.fetched, [&](const FetchedLines& f) {
    return std::ranges::any_of(
        y.fetched, [&](const FetchedLines& g) { return f.fetch == g.fetch && f.tile == g.tile; });
  });
}

// Whether a tile writes the next 64 channels of the same positions.
bool more_channels(const LayerSearch& search, const Stage& before, const Stage& after) {
  constexpr int64_t kLaneWords = 16, kLaneBytes = 64;
  const DecodedProgram& steps = search.result.replay.steps;
  for (const size_t s : before.steps) {
    const Nest& x = steps.nest(s);
    const auto& positions = x.out.level[1].count > 1 ? x.out.level[1] : x.out.level[2];
    if (x.out.level[0].count != kLaneWords || positions.count <= 1) continue;
    for (const size_t t : after.steps) {
      const Nest& y = steps.nest(t);
      const auto& level = x.out.level[1].count > 1 ? y.out.level[1] : y.out.level[2];
      const bool alike = level.count == positions.count && level.net == positions.net;
      if (alike && (x.tiles & y.tiles) != 0 && y.out.start == x.out.start + kLaneBytes &&
          kLaneBytes < positions.net)
        return true;
    }
  }
  return false;
}

// Windows over the edge, whose words come mostly from beside the picture, and groups of channels:
// parts of one pool whoever made what they read.
bool same_pool(const LayerSearch& search, size_t s, const DecompiledLayer& layer) {
  const Stage& stage = search.stages()[s];
  if (stage.kind != StageKind::pool || layer.stages.back() + 1 != s) return false;
  if (!begins(search, stage)) return true;
  return std::ranges::any_of(layer.stages, [&](size_t k) {
    const Stage& before = search.stages()[k];
    return same_lines(before, stage) || more_channels(search, before, stage);
  });
}

bool same_numbers(const LayerSearch& search, const Stage& x, const Stage& y) {
  if (x.kind == StageKind::resize) return same_enlargement(search, x, y);
  const bool multiplier = x.nest.multiplier == y.nest.multiplier || same_window(x, y);
  return multiplier && x.nest.lower == y.nest.lower && x.nest.upper == y.nest.upper &&
         x.nest.constant == y.nest.constant &&
         x.nest.output_zero_point == y.nest.output_zero_point &&
         x.nest.input_zero_point == y.nest.input_zero_point && x.factor == y.factor &&
         (x.reduction == y.reduction || each_by_itself(x.kind));
}

// They read different inputs of the program.
bool other_inputs(const LayerSearch& search, const Stage& stage, const DecompiledLayer& layer) {
  const auto& before = search.stages()[layer.stages.front()].from_inputs;
  for (size_t i = 0; i < std::min(before.size(), stage.from_inputs.size()); ++i) {
    const auto &x = stage.from_inputs[i], &y = before[i];
    if (x.size() == 1 && y.size() == 1 && x.begin()->first != y.begin()->first) return true;
  }
  return false;
}

bool same_inputs(LayerSearch& search, const Stage& stage, const DecompiledLayer& layer) {
  if (other_inputs(search, stage, layer)) return false;
  for (size_t i = 0; i < stage.inputs.size(); ++i) {
    Votes all;
    for (const size_t k : layer.stages) {
      if (search.stages()[k].inputs.size() <= i) return false;
      for (const auto& [o, n] : search.stages()[k].inputs[i]) all[o] += n;
    }
    const Shares x = producer_shares(search, stage.inputs[i], 0);
    const Shares y = producer_shares(search, all, 0);
    if (top_producer(x) != top_producer(y) || top_producer(x) == kNobody) return false;
  }
  return !stage.inputs.empty();
}

// Bands: the same parameters again, or the same numbers of the same input.
bool join_band(LayerSearch& search, size_t s) {
  const Stage& stage = search.stages()[s];
  if (stage.again) return false;
  for (size_t l = search.result.layers.size(); l-- > 0;) {
    DecompiledLayer& layer = search.result.layers[l];
    const Stage& first = search.stages()[layer.stages.front()];
    if (first.kind != stage.kind) continue;
    const bool weights = stage.nest.weighted() && stage.kind != StageKind::rescale;
    if (weights || stage.kind == StageKind::selection) {
      if (stage.blocks.empty() || layer.blocks.empty()) continue;
      if (!(stage.blocks.front() == layer.blocks.front())) continue;
    } else if (!same_numbers(search, stage, first) ||
               (!same_pool(search, s, layer) && !same_inputs(search, stage, layer))) {
      continue;
    }
    layer.stages.push_back(s);
    search.layer_of[s] = static_cast<int>(l);
    return true;
  }
  return false;
}

void add_lstm(LayerSearch& search) {
  DecompiledLayer layer;
  layer.type = LayerType::lstm;
  for (size_t s = search.lstm->first_stage; s <= search.lstm->last_stage; ++s) {
    layer.stages.push_back(s);
    search.layer_of[s] = static_cast<int>(search.result.layers.size());
  }
  search.lstm_layer = search.result.layers.size();
  search.result.layers.push_back(std::move(layer));
}

void add_softmax(LayerSearch& search, const DecompiledLayer& layer) {
  const auto index = static_cast<int>(search.result.layers.size());
  for (const size_t k : layer.stages) search.layer_of[k] = index;
  search.result.layers.push_back(layer);
}

bool transparent(StageKind kind) { return kind == StageKind::copy || kind == StageKind::sum; }

void place(LayerSearch& search, size_t s, SoftmaxStages& softmax) {
  const Stage& stage = search.stages()[s];
  const auto last = softmax.last_of.find(s);
  if (last != softmax.last_of.end()) {
    if (last->second == s) add_softmax(search, softmax.layers[s]);
    return;
  }
  if (search.lstm && s >= search.lstm->first_stage && s <= search.lstm->last_stage) {
    if (s == search.lstm->last_stage) add_lstm(search);
    return;
  }
  if (transparent(stage.kind)) {
    search.result.copies.push_back(s);
    return;
  }
  if (join_band(search, s)) return;
  DecompiledLayer layer;
  layer.type = type_of(stage);
  layer.numbers = stage.nest;
  layer.stages = {s};
  layer.blocks = stage.blocks;
  search.layer_of[s] = static_cast<int>(search.result.layers.size());
  search.result.layers.push_back(std::move(layer));
}

}  // namespace

void place_stages(LayerSearch& search) {
  SoftmaxStages softmax = find_softmax(search);
  for (size_t s = 0; s < search.stages().size(); ++s) place(search, s, softmax);
}

}  // namespace edgetwin::edgetpu
