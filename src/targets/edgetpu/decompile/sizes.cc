#include "targets/edgetpu/decompile/sizes.h"

#include "targets/edgetpu/decompile/classify.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace edgetwin::edgetpu {
namespace {

int round4(int c) { return (c + 3) / 4 * 4; }

struct Total {
  int64_t pixels = 0;    // over all tiles and instructions
  int64_t largest = 0;   // of one tile
  int64_t width = 0;     // of the first band, where columns are to be seen
  int64_t channels = 0;  // over all tiles
};

struct Candidate {
  int h = 0, w = 0, stride_h = 1, stride_w = 1;
  DecompiledLayer::Pad pad = DecompiledLayer::Pad::same;
  int before = 0, after = 0;
};

int same_size(int in, int stride) { return (in + stride - 1) / stride; }
int valid_size(int in, int kernel, int stride) {
  return in < kernel ? 0 : (in - kernel) / stride + 1;
}

std::vector<Candidate> candidates(const DecompiledLayer& l) {
  std::vector<Candidate> all;
  const int kh = (l.kernel_h - 1) * l.dilation + 1;
  const int kw = (l.kernel_w - 1) * l.dilation + 1;
  std::vector<std::pair<int, int>> strides;
  if (l.stride_h > 0 && l.stride_w > 0) strides.emplace_back(l.stride_h, l.stride_w);
  for (const int s : {1, 2, 4}) {
    if (std::find(strides.begin(), strides.end(), std::pair(s, s)) == strides.end()) {
      strides.emplace_back(s, s);
    }
  }
  for (const auto& [sh, sw] : strides) {
    all.push_back(
        {same_size(l.in.h, sh), same_size(l.in.w, sw), sh, sw, DecompiledLayer::Pad::same, 0, 0});
    all.push_back({valid_size(l.in.h, kh, sh), valid_size(l.in.w, kw, sw), sh, sw,
                   DecompiledLayer::Pad::valid, 0, 0});
  }
  for (const auto& [sh, sw] : strides) {
    for (int p = 1; p <= std::max(kh, kw); ++p) {
      for (const int before : {p / 2, p}) {
        const int after = before == p ? p : p - p / 2;
        const int pad = before + after;
        all.push_back({valid_size(l.in.h + pad, kh, sh), valid_size(l.in.w + pad, kw, sw), sh, sw,
                       DecompiledLayer::Pad::given, before, after});
      }
    }
  }
  return all;
}

void take(DecompiledLayer& l, const Candidate& c) {
  l.out.h = c.h;
  l.out.w = c.w;
  l.stride_h = c.stride_h;
  l.stride_w = c.stride_w;
  l.pad = c.pad;
  l.pad_top = l.pad_left = c.before;
  l.pad_bottom = l.pad_right = c.after;
}

bool announced(const SizeContext& context, int h, int w, int c) {
  return std::any_of(context.announced.begin(), context.announced.end(), [&](const Extent2D& e) {
    return e.h == h && e.w == w && round4(e.c) == round4(c);
  });
}

// The channels that the file announces for an output of this size, else `c`.
int real_channels(const SizeContext& context, int h, int w, int c) {
  for (const Extent2D& e : context.announced) {
    if (e.h == h && e.w == w && round4(e.c) == c) return e.c;
  }
  return c;
}

bool reads_constants(const DecompiledLayer& l, const SizeContext& context) {
  return std::any_of(l.stages.begin(), l.stages.end(), [&](size_t s) {
    const auto& inputs = context.stages[s].inputs;
    return !inputs.empty() && inputs.front().contains(kConstant);
  });
}

bool size_window(DecompiledLayer& l, const SizeContext& context, const Total& total) {
  if (l.in.h <= 0 || l.in.w <= 0) return false;
  std::vector<Candidate> all = candidates(l);
  // Constants are read where there is padding, and only there.
  const bool pads = reads_constants(l, context);
  std::stable_partition(all.begin(), all.end(), [&](const Candidate& c) {
    return (c.pad == DecompiledLayer::Pad::valid) != pads || (l.kernel_h == 1 && l.kernel_w == 1);
  });
  const auto fits = [&](const Candidate& c) {
    return int64_t{c.h} * c.w == total.pixels && (total.width == 0 || c.w == total.width);
  };
  for (const Candidate& c : all) {
    if (c.h > 0 && announced(context, c.h, c.w, l.out.c) && fits(c)) {
      take(l, c);
      return true;
    }
  }
  for (const bool strict : {true, false}) {
    for (const Candidate& c : all) {
      if (c.h <= 0 || c.w <= 0) continue;
      if (strict ? fits(c) : int64_t{c.h} * c.w == total.pixels) {
        take(l, c);
        return true;
      }
    }
  }
  // Bands that overlap compute some positions twice.
  for (const Candidate& c : all) {
    if (c.h <= 0 || c.w <= 0 || c.pad == DecompiledLayer::Pad::given) continue;
    const int64_t size = int64_t{c.h} * c.w;
    if (size < total.pixels && size * 2 > total.pixels && l.stages.size() > 1) {
      take(l, c);
      return true;
    }
  }
  return false;
}

// Columns of the four tiles of the first row, if all are to be seen.
int64_t width_of(const DecompiledLayer& l, const SizeContext& context, bool depthwise) {
  std::array<int64_t, 4> columns{};
  const auto& first = context.stages[l.stages.front()];
  for (const size_t s : first.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const auto w = window_of(n, depthwise);
    if (!w) return 0;
    for (unsigned t = 0; t < 4; ++t) {
      if ((n.tiles >> t & 1U) == 0) continue;
      if (w->columns == 0) return 0;
      columns[t] = w->columns;
    }
  }
  return columns[0] + columns[1] + columns[2] + columns[3];
}

void size_weighted(DecompiledLayer& l, const SizeContext& context) {
  const bool depthwise = l.type == LayerType::depthwise;
  const auto first = window_of(l.numbers, depthwise);
  if (!first) {
    l.problem = "the levels of its traversals make no window";
    return;
  }
  Total total;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const auto w = window_of(n, depthwise);
    if (!w) {
      l.problem = "the levels of its traversals make no window";
      return;
    }
    const int64_t tiles = std::popcount(n.tiles);
    total.pixels += w->pixels * tiles;
    total.largest = std::max(total.largest, w->pixels);
    total.channels += w->out_channels * tiles;
  }
  if (l.stages.size() == 1) total.width = width_of(l, context, depthwise);
  l.kernel_h = static_cast<int>(first->kernel_h);
  l.kernel_w = static_cast<int>(first->kernel_w);
  l.dilation = static_cast<int>(first->dilation);
  l.stride_h = static_cast<int>(first->stride_h);
  l.stride_w = static_cast<int>(first->stride_w);
  l.out.c = static_cast<int>(first->out_channels);
  l.shape.order = first->input_inner ? LineOrder::input_inner : LineOrder::input_outer;
  const auto words = static_cast<int64_t>(first->in_channels);
  const int64_t positions = int64_t{l.in.h} * l.in.w;
  if (is_selection(l.numbers) && !depthwise) {
    // A matrix of zeros and ones; parameters.cc reads what it does.
    l.type = LayerType::concat;
    l.out = {1, 1, static_cast<int>(first->out_channels)};
    l.shape.in = static_cast<int>(words);
    l.shape.out = static_cast<int>(first->out_channels);
    l.shape.spatial = total.pixels > 1;
    return;
  }
  const bool whole_input = !depthwise && total.largest == 1 && words != round4(l.in.c) &&
                           words == positions * round4(l.in.c);
  if (!depthwise && total.largest == 1 && (whole_input || positions == 1)) {
    l.type = LayerType::dense;
    l.flat = whole_input;
    l.out = {1, 1, static_cast<int>(total.channels)};
    l.out.c = real_channels(context, 1, 1, l.out.c);
    l.stride_h = l.stride_w = 1;
    return;
  }
  if (words != round4(l.in.c)) {
    l.problem =
        "it reads " + std::to_string(words) + " channels, its input has " + std::to_string(l.in.c);
    return;
  }
  if (!size_window(l, context, total)) {
    l.problem = std::to_string(total.pixels) + " positions are no output of " +
                std::to_string(l.in.h) + " x " + std::to_string(l.in.w);
    return;
  }
  if (depthwise && l.in.c != l.out.c) l.out.c = l.in.c;
  l.out.c = real_channels(context, l.out.h, l.out.w, l.out.c);
}

void size_pool(DecompiledLayer& l, const SizeContext& context) {
  const auto a = static_cast<int>(l.numbers.loop[0]);
  const auto b = static_cast<int>(l.numbers.loop[1]);
  int count = static_cast<int>(std::lround(1.0F / l.numbers.multiplier));
  l.out.c = l.in.c;
  if (l.numbers.kind == 0x1870) {
    count = a * b;
    l.kernel_w = a;
    l.kernel_h = b;
  } else {
    l.kernel_w = l.kernel_h = static_cast<int>(std::lround(std::sqrt(static_cast<double>(count))));
  }
  if (l.in.h * l.in.w == count) {
    // The whole picture; where it is one position per tile, tiles share the channels.
    l.kernel_h = l.in.h;
    l.kernel_w = l.in.w;
    return take(l, {1, 1, 1, 1, DecompiledLayer::Pad::valid, 0, 0});
  }
  Total total;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const Positions p = positions_of(n);
    // One position in several tiles: channels are spread.
    total.pixels += p.pixels * std::popcount(n.tiles);
  }
  std::vector<Candidate> all;
  for (const int s : {l.kernel_h, 1, 2, 3, 4}) {
    all.push_back({valid_size(l.in.h, l.kernel_h, s), valid_size(l.in.w, l.kernel_w, s), s, s,
                   DecompiledLayer::Pad::valid, 0, 0});
    all.push_back(
        {same_size(l.in.h, s), same_size(l.in.w, s), s, s, DecompiledLayer::Pad::same, 0, 0});
  }
  for (const Candidate& c : all) {
    if (c.h > 0 && c.w > 0 && int64_t{c.h} * c.w == total.pixels) return take(l, c);
  }
  l.problem = std::to_string(total.pixels) + " positions are no pool of " + std::to_string(l.in.h) +
              " x " + std::to_string(l.in.w) + " by " + std::to_string(l.kernel_h) + " x " +
              std::to_string(l.kernel_w);
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
