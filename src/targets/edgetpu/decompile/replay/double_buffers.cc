#include "targets/edgetpu/decompile/replay/double_buffers.h"

#include <algorithm>
#include <cstdlib>

#include "targets/edgetpu/decompile/replay/state.h"
#include "targets/edgetpu/decompile/replay/store_source.h"
#include "targets/edgetpu/decompile/stages/word_walks.h"

namespace edgetwin::edgetpu {
namespace {

// The nearest one in the program that fills the buffers of this tile.
const Feeder* feeder_of(const ReplayState& state, const Nest& nest, size_t tile) {
  const Feeder* best = nullptr;
  const auto distance = [&](const Feeder& f) {
    return f.step > state.at ? f.step - state.at : state.at - f.step;
  };
  for (const Feeder& f : state.feeders) {
    if ((f.tiles >> tile & 1U) == 0 || nest.in.start < f.begin || nest.in.start >= f.end) continue;
    if (best == nullptr || distance(f) < distance(*best)) best = &f;
  }
  return best;
}

bool brought_by(const Traces& traces, const OwnedWord& word, size_t request) {
  return word.owner == kInput && word.trace >= 0 &&
         traces.nodes[static_cast<size_t>(word.trace)].from == -1 - static_cast<int32_t>(request);
}

}  // namespace

std::vector<Feeder> find_feeders(const DecodedProgram& steps) {
  std::vector<Feeder> feeders;
  for (size_t i = 0; i < steps.all.size(); ++i) {
    if (steps.all[i].opcode != Opcode::wide_to_narrow) continue;
    const CopyPattern& c = steps.copy(i);
    if (c.numbers || c.b_buffers == 0) continue;
    constexpr int64_t kBytes = 4;
    const int64_t span = std::abs(c.b_buffers);
    const int64_t begin = std::min(c.b.start, c.b.start + c.b_buffers);
    feeders.push_back({i, c.tiles, begin * kBytes, (begin + 2 * span) * kBytes});
  }
  return feeders;
}

void fill_buffers(ReplayState& state, const Nest& nest) {
  if (nest.in_buffers == 0) return;
  const std::vector<int64_t> words = touched_words(nest.in);
  each_tile(nest.tiles, [&](size_t tile) {
    const Feeder* f = feeder_of(state, nest, tile);
    if (f == nullptr || broadcast_fetch(state.result.steps, f->step)) return;
    const OutsideWords from = outside_words(state, f->step);
    const auto feed = state.input_map.feed(f->step);
    for (const int64_t w : words) {
      // What this store brought stays as it is.
      const bool own = feed && from.owner == kInput &&
                       brought_by(state.result.traces, state.narrow.at(tile, w), feed->number);
      if (!own) state.set(tile, w, from.owner, from.place);
    }
  });
}

}  // namespace edgetwin::edgetpu
