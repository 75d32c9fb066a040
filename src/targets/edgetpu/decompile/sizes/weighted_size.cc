#include "targets/edgetpu/decompile/sizes/weighted_size.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "targets/edgetpu/decompile/sizes/band_extents.h"
#include "targets/edgetpu/decompile/sizes/seen_window.h"
#include "targets/edgetpu/decompile/sizes/size_candidates.h"
#include "targets/edgetpu/decompile/sizes/window_size.h"

namespace edgetwin::edgetpu {
namespace {

// The channels that the file announces for an output of this size, else `c`.
int real_channels(const SizeContext& context, int h, int w, int c) {
  for (const Extent2D& e : context.announced) {
    if (e.h == h && e.w == w && padded_channels(e.c) == c) return e.c;
  }
  return c;
}

// Nothing: an instruction's levels make no window.
std::optional<PositionTotal> total_of(const DecompiledLayer& l, const SizeContext& context,
                                      bool depthwise) {
  PositionTotal total;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const auto w = window_of(n, depthwise);
    if (!w) return std::nullopt;
    const int64_t tiles = std::popcount(n.tiles);
    total.pixels += w->pixels * tiles;
    total.largest = std::max(total.largest, w->pixels);
    total.channels += w->out_channels * tiles;
  }
  if (l.stages.size() == 1) total.width = width_of_tiles(l, context, depthwise);
  return total;
}

void take_window(DecompiledLayer& l, const Window& first) {
  l.kernel_h = static_cast<int>(first.kernel_h);
  l.kernel_w = static_cast<int>(first.kernel_w);
  l.dilation = static_cast<int>(first.dilation);
  l.stride_h = static_cast<int>(first.stride_h);
  l.stride_w = static_cast<int>(first.stride_w);
  l.out.c = static_cast<int>(first.out_channels);
  l.shape.order = first.input_inner ? LineOrder::input_inner : LineOrder::input_outer;
  const int64_t all_words = first.in_channels / 4;
  if (first.inner_words > 1 && first.inner_words < all_words) {
    l.shape.inner_words = static_cast<int>(first.inner_words);
  }
}

// A window of one direction of a single position: one that is wider than the picture is a column,
// whose taps lie a row apart.
void turn_window(DecompiledLayer& l) {
  const int reach = (l.kernel_w - 1) * l.dilation + 1;
  if (l.kernel_h != 1 || l.dilation == 1 || reach <= l.in.w || l.in.w <= 0) return;
  l.kernel_h = l.kernel_w;
  l.kernel_w = 1;
  l.dilation = 1;
}

// A single position that reads the whole input, or all there is of it, is a dense layer. `words`:
// channels that it reads.
bool size_dense(DecompiledLayer& l, const SizeContext& context, const PositionTotal& total,
                int64_t words) {
  const bool depthwise = l.type == LayerType::depthwise;
  const int64_t positions = int64_t{l.in.h} * l.in.w;
  const bool one = !depthwise && total.largest == 1;
  const bool padded = positions * padded_channels(l.in.c) == words;
  const bool packed = (positions * l.in.c + 3) / 4 * 4 == words;
  const bool whole_input = one && words != padded_channels(l.in.c) && (padded || packed);
  const bool pointwise = l.kernel_h * l.kernel_w == 1;
  if (!whole_input && !(one && positions == 1 && pointwise)) return false;
  l.type = LayerType::dense;
  l.flat = whole_input;
  l.packed = whole_input && !padded;
  l.out = {1, 1, static_cast<int>(total.channels)};
  l.out.c = real_channels(context, 1, 1, l.out.c);
  l.stride_h = l.stride_w = 1;
  return true;
}

// Whether it reads the channels that its input has. Of only one position the buffer may be as large
// as the window, which is told apart where the input's channels are known.
bool matches_input(DecompiledLayer& l, const PositionTotal& total, int64_t words) {
  const auto split = window_of(l.numbers, l.type == LayerType::depthwise, padded_channels(l.in.c));
  const bool other = split && (total.largest == 1 || words != padded_channels(l.in.c));
  if (other && split->in_channels == padded_channels(l.in.c)) {
    l.dilation = static_cast<int>(split->dilation);
    if (total.largest > 1) l.stride_h = l.stride_w = 0;
    l.kernel_h = static_cast<int>(split->kernel_h);
    l.kernel_w = static_cast<int>(split->kernel_w);
    l.shape.order = split->input_inner ? LineOrder::input_inner : LineOrder::input_outer;
    return true;
  }
  return words == padded_channels(l.in.c);
}

}  // namespace

void size_weighted(DecompiledLayer& l, const SizeContext& context) {
  const bool depthwise = l.type == LayerType::depthwise;
  const auto first = window_of(l.numbers, depthwise);
  const auto total = first ? total_of(l, context, depthwise) : std::nullopt;
  if (!total) {
    l.problem = "the levels of its traversals make no window";
    return;
  }
  take_window(l, *first);
  const int64_t words = first->in_channels;
  if (size_dense(l, context, *total, words)) return;
  if (!matches_input(l, *total, words)) {
    l.problem =
        "it reads " + std::to_string(words) + " channels, its input has " + std::to_string(l.in.c);
    return;
  }
  if (total->largest == 1) turn_window(l);
  const bool sized = size_window(l, context, *total);
  if (!take_seen_window(l) && !sized) {
    l.problem = std::to_string(total->pixels) + " positions are no output of " +
                std::to_string(l.in.h) + " x " + std::to_string(l.in.w);
    return;
  }
  if (depthwise && l.in.c != l.out.c) l.out.c = l.in.c;
  l.out.c = real_channels(context, l.out.h, l.out.w, l.out.c);
}

}  // namespace edgetwin::edgetpu
