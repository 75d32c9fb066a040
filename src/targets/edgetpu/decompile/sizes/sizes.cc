#include "targets/edgetpu/decompile/sizes/sizes.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "targets/edgetpu/decompile/sizes/pool_size.h"
#include "targets/edgetpu/decompile/sizes/size_candidates.h"
#include "targets/edgetpu/decompile/sizes/weighted_size.h"

namespace edgetwin::edgetpu {
namespace {

// parameters.cc reads what the matrix does.
void size_selection(DecompiledLayer& l, const SizeContext& context) {
  int64_t positions = 0;
  std::optional<Window> window;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const auto w = window_of(n, false);
    if (!w) {
      l.problem = "the levels of its traversals make no window";
      return;
    }
    if (!window) window = w;
    positions += w->pixels * std::popcount(n.tiles);
  }
  if (!window) return;
  l.out = {1, 1, static_cast<int>(window->out_channels)};
  l.shape.order = window->input_inner ? LineOrder::input_inner : LineOrder::input_outer;
  // What one output reads, wherever its words lie.
  constexpr uint64_t kMost = 1U << 20U;
  l.shape.in = static_cast<int>(4 * std::min(l.numbers.reduction(), kMost));
  l.shape.out = static_cast<int>(window->out_channels);
  l.shape.spatial = positions > 1;
}

// How far apart the positions of a resize are, and where the first one lies behind a pixel.
struct ResizeSteps {
  static constexpr int64_t kParts = 128;  // of a pixel
  int64_t rows = kParts, columns = kParts, row_start = 0, column_start = 0;
};
ResizeSteps steps_of(const Instruction& i) {
  const auto number = [](uint64_t n) { return static_cast<int64_t>(n); };
  return {number(i.get("rows.step")), number(i.get("columns.step")), number(i.get("rows.start")),
          number(i.get("columns.start"))};
}

// What so many positions become; `corners`: the first and the last one stay where they are.
int resized(int size, int64_t step, bool corners) {
  const int64_t parts = (int64_t{size} - (corners ? 1 : 0)) * ResizeSteps::kParts;
  if (step <= 0 || parts % step != 0) return 0;
  constexpr int64_t kMost = 65536;
  return static_cast<int>(std::min(parts / step + (corners ? 1 : 0), kMost));
}

void size_resize(DecompiledLayer& l, const SizeContext& context) {
  int64_t pixels = 0;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    pixels += positions_of(n).pixels * std::popcount(n.tiles);
  }
  l.out = l.in;
  const ResizeSteps steps = steps_of(context.replay.steps.all[l.steps.front()].instruction());
  for (const bool corners : {false, true}) {
    const int h = resized(l.in.h, steps.rows, corners);
    const int w = resized(l.in.w, steps.columns, corners);
    if (int64_t{h} * w != pixels) continue;
    l.out.h = h;
    l.out.w = w;
    l.corners = corners;
    l.middles = !corners && (steps.row_start != 0 || steps.column_start != 0);
    return;
  }
  l.problem = std::to_string(pixels) + " positions are no enlargement of " +
              std::to_string(l.in.h) + " x " + std::to_string(l.in.w);
}

// Words of all tiles together; of a product four times as many, one by one.
int64_t words_made(const DecompiledLayer& l, const SizeContext& context) {
  int64_t words = 0;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    words +=
        static_cast<int64_t>(std::min<uint64_t>(n.out.count(), 1U << 24U)) * std::popcount(n.tiles);
  }
  return l.type == LayerType::mul && l.numbers.in.level[0].net == 1 ? words / 4 : words;
}

// As large as its input, if it has as many positions; bands may compute some of them twice, and a
// sum of bytes may be a part of the greatest of windows. A single position may be there several
// times.
void size_elements(DecompiledLayer& l, const SizeContext& context) {
  l.out = l.in;
  const Nest& n = l.numbers;
  if (l.type == LayerType::add && n.multiplier == 1.0F && n.constant == 0) return;
  const bool known = l.stages.size() == 1 && l.inputs.front().row_channels == 0 && l.in.h > 0 &&
                     int64_t{l.in.h} * l.in.w > 1;
  const int64_t wanted = int64_t{l.in.h} * l.in.w * (padded_channels(l.in.c) / 4);
  if (!known || words_made(l, context) == wanted) return;
  l.problem = "its positions are not those of its input: some are cut out, or repeated";
}

}  // namespace

void find_size(DecompiledLayer& layer, const SizeContext& context) {
  switch (layer.type) {
    case LayerType::conv:
    case LayerType::depthwise:
    case LayerType::dense:
      return size_weighted(layer, context);
    case LayerType::concat:
      return size_selection(layer, context);
    case LayerType::average_pool:
      return size_pool(layer, context);
    case LayerType::resize:
      return size_resize(layer, context);
    case LayerType::quantize:
    case LayerType::logistic:
    case LayerType::tanh:
    case LayerType::add:
    case LayerType::mul:
      return size_elements(layer, context);
    case LayerType::unknown:
      layer.problem = "what it computes is not known";
      return;
    default:
      layer.out = layer.in;
  }
}

}  // namespace edgetwin::edgetpu
