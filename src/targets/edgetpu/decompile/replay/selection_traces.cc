#include "targets/edgetpu/decompile/replay/selection_traces.h"

#include <algorithm>

#include "targets/edgetpu/decompile/stages/replay_bounds.h"
#include "targets/edgetpu/decompile/stages/word_walks.h"

namespace edgetwin::edgetpu {
namespace {

// What a matrix reads for the position that begins at byte `at`.
TracedPixel traced_pixel(const ReplayState& state, const std::vector<int64_t>& words, int64_t at,
                         size_t tile) {
  TracedPixel pixel{state.result.stages.size() - 1, {}};
  for (const int64_t w : words) {
    const bool whole = (at + w) % 4 == 0;
    pixel.in.push_back(whole ? state.narrow.at(tile, (at + w) / 4).trace : -1);
  }
  return pixel;
}

bool followed(const TracedPixel& pixel) {
  return std::any_of(pixel.in.begin(), pixel.in.end(), [](int32_t node) { return node >= 0; });
}

}  // namespace

std::vector<MadeWord> selected_words(ReplayState& state, const Nest& nest,
                                     const ChannelWalk& channels, size_t tile) {
  std::vector<int64_t> words;
  std::vector<int64_t> positions;
  Traces& traces = state.result.traces;
  if (!part_levels(nest, words, positions) || traces.nodes.size() > kMostTraces) return {};
  state.traced_words += words.size() * positions.size();
  if (state.traced_words > kMostTracedWords) return {};
  const size_t first = traces.pixels.size();
  bool any = false;
  for (const int64_t at : positions) {
    traces.pixels.push_back(traced_pixel(state, words, at, tile));
    any = any || followed(traces.pixels.back());
  }
  if (!any) {
    traces.pixels.resize(first);
    return {};
  }
  const Owner owner = state.last_owner();
  std::vector<MadeWord> made;
  walk_positions(nest, channels, [&](size_t position, int64_t word) {
    int32_t node = -1;
    if (position < positions.size()) {
      node = static_cast<int32_t>(traces.nodes.size());
      traces.nodes.push_back({static_cast<int32_t>(first + position), static_cast<int32_t>(word)});
    }
    made.push_back({{owner, static_cast<int32_t>(word)}, node, -1, kUnknown});
  });
  return made;
}

}  // namespace edgetwin::edgetpu
