#include "targets/edgetpu/decompile/sizes/sizes.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "targets/edgetpu/decompile/sizes/pool_size.h"
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

void size_resize(DecompiledLayer& l, const SizeContext& context) {
  int64_t pixels = 0;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    pixels += positions_of(n).pixels * std::popcount(n.tiles);
  }
  l.out = l.in;
  for (int factor = 1; factor <= 16; ++factor) {
    if (int64_t{l.in.h} * factor * l.in.w * factor != pixels) continue;
    l.out.h = l.in.h * factor;
    l.out.w = l.in.w * factor;
    return;
  }
  l.problem = std::to_string(pixels) + " positions are no whole enlargement of " +
              std::to_string(l.in.h) + " x " + std::to_string(l.in.w);
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
      layer.out = layer.in;
      return;
    case LayerType::unknown:
      layer.problem = "what it computes is not known";
      return;
    default:
      layer.out = layer.in;
  }
}

}  // namespace edgetwin::edgetpu
