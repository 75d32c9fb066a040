#include "targets/edgetpu/decompile/replay/stage_writes.h"

#include <algorithm>

#include "targets/edgetpu/decompile/replay/selection_traces.h"
#include "targets/edgetpu/decompile/stages/geometry.h"
#include "targets/edgetpu/decompile/stages/replay_bounds.h"
#include "targets/edgetpu/decompile/stages/word_walks.h"

namespace edgetwin::edgetpu {
namespace {

// Bytes of `channels` to a pixel, without gaps; of one column only the rows are left.
bool reads_pixels(const Traversal& in, int64_t channels) {
  const std::vector<Level> levels = repeating(in);
  size_t k = 0;
  if (channels > 1 && (levels.empty() || levels[k].count != channels || levels[k++].net != 1)) {
    return false;
  }
  return k >= levels.size() || levels[k].net == channels || in.level[1].count == 1;
}

// Bytes of an input, pixel after pixel, that are put into words: which input.
std::optional<size_t> spread_input(ReplayState& state, const Nest& nest, size_t tile) {
  const auto channels = static_cast<int64_t>(nest.reduction());
  if (!reads_pixels(nest.in, channels)) return std::nullopt;
  const auto& inputs = state.executable.inputs;
  std::optional<size_t> input;
  bool all = true;
  for (const int64_t w : touched_words(nest.in)) {
    if (state.narrow.at(tile, w).origin != Origin{kInput, -1}) return std::nullopt;
    const auto here = state.input_map.read(state.at, tile, w);
    all = all && here && (!input || *input == *here);
    input = here;
  }
  if (!all || !input || *input >= inputs.size()) return std::nullopt;
  return inputs[*input].z_dim == channels ? input : std::nullopt;
}

// The words that are read, in order, where each that is written has one; else nothing. Its four
// bytes may be a level of their own.
std::optional<Traversal> read_words(const Nest& nest, size_t written) {
  Traversal in = nest.in;
  const Level& bytes = in.level[0];
  if (bytes.count == 4 && bytes.net == 1 && in.short_count == 0) in.level[0].count = 1;
  bool words = in.count() == written;
  walk(in, in.count(), [&](int64_t a) { words = words && a % 4 == 0; });
  return words ? std::optional(in) : std::nullopt;
}

// The results of a product are words of one byte each: four become one, that of the first. Empty:
// they do not follow each other.
std::vector<MadeWord> packed_words(ReplayState& state, const Nest& nest, size_t written,
                                   size_t tile) {
  constexpr size_t kBytes = 4;
  if (nest.in.count() != kBytes * written) return {};
  std::vector<MadeWord> from;
  size_t n = 0;
  bool follow = true;
  walk(nest.in, nest.in.count(), [&](int64_t a) {
    const OwnedWord& w = state.narrow.at(tile, a / 4);
    const auto before = static_cast<int32_t>(n % kBytes);
    if (before == 0) from.push_back({{}, -1, w.born, w.maker});
    follow = follow && a % 4 == 0 && w.born >= 0 && w.maker != kConstant &&
             w.maker == from.back().maker && w.born == from.back().born + before;
    ++n;
  });
  return follow ? from : std::vector<MadeWord>{};
}

// What a copy makes of a word: of a constant its value stays known.
MadeWord copied_word(ReplayState& state, size_t tile, int64_t w, int64_t k, int64_t period) {
  const OwnedWord& from = state.narrow.at(tile, w);
  const MadeAt made = state.made_at(tile, w);
  return {state.origin_at(tile, w, k, period), from.trace, made.born, made.maker};
}

// Word by word; empty: it copies in another way.
std::vector<MadeWord> copied_words(ReplayState& state, const Nest& nest,
                                   const ChannelWalk& channels, size_t tile) {
  std::vector<int64_t> to;
  walk_output(nest, channels, [&](int64_t, int64_t word) { to.push_back(word); });
  if (nest.in.count() > kMostWords) return {};
  std::vector<MadeWord> from;
  if (const auto in = read_words(nest, to.size())) {
    const int64_t period = positions_of(nest).channels / 4;
    walk(*in, in->count(), [&](int64_t a) {
      from.push_back(copied_word(state, tile, a / 4, to[from.size()], period));
    });
    return from;
  }
  if (auto packed = packed_words(state, nest, to.size(), tile); !packed.empty()) return packed;
  const auto input = spread_input(state, nest, tile);
  if (!input) return {};
  for (const int64_t word : to) {
    from.push_back(
        {{-1 - static_cast<Owner>(*input), static_cast<int32_t>(word)}, -1, -1, kUnknown});
  }
  return from;
}

// An input's word in its first place of the picture: the input is made there.
void begin_input_word(ReplayState& state, const MadeWord& from, size_t tile, int64_t word) {
  const Owner origin = from.origin.owner;
  const bool alone = origin == kInput && state.executable.inputs.size() == 1;
  if (origin >= 0 && !alone) return;
  OwnedWord& to = state.narrow.at(tile, word);
  to.maker = alone ? -1 : origin;
  to.born = static_cast<int32_t>(static_cast<int64_t>(tile) * kNarrowWords + word);
  state.result.input_places[static_cast<size_t>(-1 - to.maker)].push_back(to.born);
}

}  // namespace

void write_output(ReplayState& state, const Nest& nest) {
  Stage& stage = state.result.stages.back();
  const StageKind kind = stage.kind;
  const Owner owner = state.last_owner();
  const ChannelWalk channels =
      written_channels(nest, multiplies(kind), kind == StageKind::depthwise);
  each_tile(nest.tiles, [&](size_t tile) {
    std::vector<MadeWord> from;
    if (kind == StageKind::copy) from = copied_words(state, nest, channels, tile);
    if (kind == StageKind::selection) from = selected_words(state, nest, channels, tile);
    const bool gate = kind == StageKind::add && nest.function && state.in_loop();
    int32_t node = gate ? begin_gate_words(state, nest, tile) : -1;
    size_t n = 0;
    walk_output(nest, channels, [&](int64_t a, int64_t word) {
      MadeWord made{{owner, static_cast<int32_t>(word)}, -1, -1};
      if (n < from.size()) {
        made = from[n];
      } else if (kind == StageKind::copy) {
        made = {};
      }
      if (node >= 0) made.trace = node++;
      ++n;
      OwnedWord& to = state.narrow.at(tile, a / 4);
      to = OwnedWord(owner, 0, made.origin, made.trace);
      to.born = kind == StageKind::copy
                    ? made.born
                    : static_cast<int32_t>(static_cast<int64_t>(tile) * kNarrowWords + a / 4);
      to.maker = kind == StageKind::copy ? made.maker : owner;
      const bool unborn = to.born < 0 && to.maker != kConstant;
      if (kind == StageKind::copy && unborn) begin_input_word(state, made, tile, a / 4);
      stage.written_words = std::max(stage.written_words, word + 1);
    });
  });
}

}  // namespace edgetwin::edgetpu
