#include "targets/edgetpu/decompile/replay/store.h"

#include <bit>

#include "targets/edgetpu/decompile/replay/moves.h"
#include "targets/edgetpu/decompile/replay/store_source.h"
#include "targets/edgetpu/decompile/stages/replay_bounds.h"

namespace edgetwin::edgetpu {
namespace {

// The fetch just before a store, if it is of the same words of the same tiles.
std::optional<size_t> local_fetch(const ReplayState& state, const CopyPattern& c) {
  // A fetch that feeds the send of an earlier store is none of this one.
  if (!state.after_fetch || state.fetches.empty()) return std::nullopt;
  const size_t step = state.fetches.back().step;
  if (state.broadcast.contains(step)) return std::nullopt;
  const CopyPattern& before = state.result.steps.copy(step);
  if (before.tiles != c.tiles || before.a.count() != c.b.count()) return std::nullopt;
  if (before.b_buffers == 0 && before.b.start != c.a.start) return std::nullopt;
  return step;
}

// From lines of wide memory that keep words of narrow memory; false: they do not.
bool restore_kept(ReplayState& state, const CopyPattern& c, const std::vector<int64_t>& to) {
  const auto kept = state.wide.kept(c, to.size());
  if (!kept) return false;
  state.take_lines(c.tiles, c.a);
  each_tile(c.tiles, [&](size_t tile) {
    const auto& words = (*kept)[tile];
    for (size_t n = 0; n < to.size(); ++n) {
      state.narrow.at(tile, to[n]) = n < words.size() ? words[n] : OwnedWord(kUnknown, 0);
    }
  });
  return true;
}

// From lines where parameters wait; false: the store is not from the first line of a block.
bool restore_resident(ReplayState& state, const CopyPattern& c, const std::vector<int64_t>& to) {
  constexpr size_t kBytes = 4;
  bool all = c.tiles != 0 && c.a_buffers == 0 && c.b_buffers == 0;
  std::array<size_t, kTiles> blocks{};
  each_tile(c.tiles, [&](size_t tile) {
    const auto found = state.resident.at.find({static_cast<int>(tile), c.a.start});
    all = all && found != state.resident.at.end() && !state.wide.came_by_ring(c.a.start) &&
          state.resident.blocks[found->second].bytes >= kBytes * to.size();
    if (all) blocks[tile] = found->second;
  });
  if (!all) return false;
  each_tile(c.tiles, [&](size_t tile) {
    state.loaded[blocks[tile]] = true;
    const size_t first = state.resident.blocks[blocks[tile]].offset;
    for (size_t n = 0; n < to.size(); ++n) {
      state.set(tile, to[n], kResident, static_cast<uint32_t>(first + kBytes * n));
    }
  });
  return true;
}

void copy_words(ReplayState& state, const CopyPattern& c, const CopyPattern& source, bool local,
                const std::vector<int64_t>& to) {
  std::vector<int64_t> from;
  walk(source.a, source.a.count(), [&](int64_t a) { from.push_back(a); });
  std::vector<OwnedWord> words(from.size());
  each_tile(c.tiles, [&](size_t tile) {
    // No tile: the scalar core names it at each step of a loop, the first one at the first.
    size_t sender = 0;
    if (source.tiles != 0) sender = static_cast<size_t>(std::countr_zero(source.tiles));
    if (local) sender = tile;
    for (size_t n = 0; n < from.size(); ++n) words[n] = state.narrow.at(sender, from[n]);
    for (size_t n = 0; n < to.size(); ++n) state.narrow.at(tile, to[n]) = words[n];
  });
}

void begin_traces(ReplayState& state, const CopyPattern& c, const std::vector<int64_t>& to) {
  auto& nodes = state.result.traces.nodes;
  const auto feed = state.input_map.feed(state.at);
  if (!feed || to.size() > kMostTraced || nodes.size() > kMostTraces) return;
  const auto tile = static_cast<size_t>(std::countr_zero(c.tiles));
  if ((feed->tiles & c.tiles) != c.tiles) return;
  for (size_t n = 0; n < to.size(); ++n) {
    if (state.narrow.at(tile, to[n]).trace >= 0) continue;  // the pass after: the other buffer
    each_tile(c.tiles, [&](size_t t) {
      state.narrow.at(t, to[n]).trace = static_cast<int32_t>(nodes.size());
    });
    nodes.push_back({-1 - static_cast<int32_t>(feed->number),
                     static_cast<int32_t>(feed->first_word + static_cast<int64_t>(n))});
  }
}

// An input of whole words, or of one position, that is put where it stays.
void begin_input(ReplayState& state, const CopyPattern& c, const std::vector<int64_t>& to) {
  const auto& inputs = state.executable.inputs;
  const auto feed = state.input_map.feed(state.at);
  size_t input = 0;
  if (inputs.size() != 1) {
    const auto told = feed ? state.input_map.input_of(feed->number) : std::nullopt;
    if (!told) return;
    input = *told;
  }
  if (input >= inputs.size()) return;
  const darwinn::Layer& l = inputs[input];
  if (l.z_dim % 4 != 0 && (l.y_dim != 1 || l.x_dim != 1)) return;
  each_tile(c.tiles, [&](size_t tile) {
    for (const int64_t a : to) {
      OwnedWord& word = state.narrow.at(tile, a);
      word.maker = -1 - static_cast<Owner>(input);
      word.born = static_cast<int32_t>(static_cast<int64_t>(tile) * kNarrowWords + a);
      state.result.input_places[input].push_back(word.born);
    }
  });
}

// `unreadable`: they come from a tile, but from words that do not fit.
void write_outside(ReplayState& state, const CopyPattern& c, bool unreadable,
                   const std::vector<int64_t>& to) {
  const OutsideWords from = unreadable ? OutsideWords{kUnknown, 0} : outside_words(state, state.at);
  each_tile(c.tiles, [&](size_t tile) {
    for (const int64_t a : to) state.set(tile, a, from.owner, from.place);
  });
  if (from.owner == kInput && c.b_buffers == 0) begin_input(state, c, to);
  // What all tiles get alike is followed for the sake of the loop that reads it.
  const bool followed = std::popcount(c.tiles) == 1 || state.loop;
  if (from.owner == kInput && followed) begin_traces(state, c, to);
}

}  // namespace

Status replay_store(ReplayState& state, const CopyPattern& c) {
  if (c.numbers) return Ok{};
  EDGETWIN_TRY(flush_moves(state));
  const uint64_t count = c.b.count();
  if (count > kMostWords) return state.error("it moves too many words");
  EDGETWIN_TRY(state.claim(count * kTiles, c.b.lowest(), c.b.highest(), kNarrowWords));
  std::vector<int64_t> to;
  walk(c.b, count, [&](int64_t a) { to.push_back(a); });
  auto fetch = kept_fetch(state.result.steps, state.at);
  const bool kept = fetch.has_value();
  if (!kept) fetch = local_fetch(state, c);
  const bool local = !kept && fetch.has_value();
  state.after_fetch = false;
  if (!fetch) {
    if (restore_kept(state, c, to) || restore_resident(state, c, to)) return Ok{};
    fetch = broadcast_fetch(state.result.steps, state.at);
  }
  const CopyPattern* source = fetch ? &state.result.steps.copy(*fetch) : nullptr;
  if (source == nullptr || source->a.count() != count || source->a.lowest() < 0 ||
      source->a.highest() >= kNarrowWords) {
    write_outside(state, c, source != nullptr, to);
    return Ok{};
  }
  if (!local) state.broadcast.insert(*fetch);
  if (local && state.in_loop()) remember_moved_rows(state, *source, c);
  copy_words(state, c, *source, local, to);
  return Ok{};
}

}  // namespace edgetwin::edgetpu
