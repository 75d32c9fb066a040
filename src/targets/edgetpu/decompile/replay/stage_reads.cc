#include "targets/edgetpu/decompile/replay/stage_reads.h"

#include <algorithm>
#include <bit>

#include "targets/edgetpu/decompile/stages/geometry.h"
#include "targets/edgetpu/decompile/stages/replay_bounds.h"
#include "targets/edgetpu/decompile/stages/resize_walk.h"
#include "targets/edgetpu/decompile/stages/word_walks.h"

namespace edgetwin::edgetpu {
namespace {

void vote(const Narrow& narrow, uint32_t tiles, const std::vector<int64_t>& words, Votes& votes) {
  each_tile(tiles, [&](size_t tile) {
    for (const int64_t w : words) ++votes[narrow.at(tile, w).owner];
  });
}

// What the two operands of an addition are: level 1 of those that repeat is the way from one to
// the other.
std::vector<Traversal> operands(const Nest& nest, StageKind kind) {
  if (kind != StageKind::add) return {nest.in};
  Traversal first = nest.in;
  int64_t distance = 0;
  int found = 0;
  for (size_t k = 0; k < first.size && found < 2; ++k) {
    if (first.level[k].count == 1) continue;
    if (found++ == 1) distance = first.level[k].net;
    first.level[k].count = 1;
  }
  Traversal second = first;
  second.start += distance;
  return {first, second};
}

// In a tile the last fetch that brought more than constants; null: none.
template <class State>
auto data_fetch(State& state, size_t tile) -> decltype(&*state.fetches.begin()) {
  for (auto f = state.fetches.rbegin(); f != state.fetches.rend(); ++f) {
    const bool data = std::any_of(f->votes[tile].begin(), f->votes[tile].end(),
                                  [](const auto& v) { return v.first != kConstant; });
    if (data) return &*f;
  }
  return nullptr;
}

// Of all tiles.
Votes fetched_votes(const ReplayState& state, const Nest& nest, std::vector<size_t>& used) {
  Votes votes;
  each_tile(nest.tiles, [&](size_t tile) {
    const Fetch* f = data_fetch(state, tile);
    if (f == nullptr) return;
    for (const auto& [o, n] : f->votes[tile]) votes[o] += n;
    if (std::find(used.begin(), used.end(), f->step) == used.end()) used.push_back(f->step);
  });
  return votes;
}

// Words of a pixel as the instruction reads it; 0: not to be told.
int64_t pixel_words(const Nest& nest, StageKind kind) {
  if (!multiplies(kind)) return positions_of(nest).channels / 4;
  const auto window = window_of(nest, kind == StageKind::depthwise);
  return window ? window->in_channels / 4 : 0;
}

void vote_operand_channels(ReplayState& state, const Nest& nest, int64_t period,
                           ChannelVotes& votes, std::map<size_t, int64_t>& from_inputs) {
  const bool first = votes.empty();
  votes.resize(std::max(votes.size(), static_cast<size_t>(period)));
  // Read in another way before: nothing is said about it.
  if (!first && votes.size() != static_cast<size_t>(period)) votes[0][{}] += kMostWords;
  std::vector<bool> seen(kNarrowWords, false);
  read_channels(nest, period).each([&](int64_t a, int64_t k) {
    const int64_t w = a / 4;
    if (seen[static_cast<size_t>(w)]) return;
    seen[static_cast<size_t>(w)] = true;
    each_tile(nest.tiles, [&](size_t tile) {
      ++votes[static_cast<size_t>(k)][state.origin_at(tile, w, k, period)];
      const bool came = state.narrow.at(tile, w).owner == kInput;
      const auto input = came ? state.input_map.read(state.at, tile, w) : std::nullopt;
      if (input) ++from_inputs[*input];
    });
  });
}

void vote_channels(ReplayState& state, const Nest& nest, Stage& stage) {
  const int64_t period = pixel_words(nest, stage.kind);
  if (pools(stage.kind) || period < 1 || period > static_cast<int64_t>(kMostChannelWords)) return;
  const std::vector<Traversal> all = operands(nest, stage.kind);
  stage.channels.resize(std::max(stage.channels.size(), all.size()));
  stage.from_inputs.resize(stage.channels.size());
  for (size_t i = 0; i < all.size(); ++i) {
    Nest one = nest;
    one.in = all[i];
    vote_operand_channels(state, one, period, stage.channels[i], stage.from_inputs[i]);
  }
}

// A resize reads more than its traversal shows.
std::vector<int64_t> operand_words(const ReplayState& state, const Nest& nest, const Traversal& t) {
  const auto walk = resize_walk(state.result.steps.all[state.at].instruction(), nest);
  return walk ? walk->all_words(nest.in.start) : touched_words(t);
}

// Operands whose positions are those of the picture that is read.
void remember_reads(ReplayState& state, const Nest& nest, Stage& stage) {
  if (pools(stage.kind) || stage.kind == StageKind::copy || stage.too_many) return;
  const std::vector<Traversal> all = operands(nest, stage.kind);
  // The fetched operand of a product comes after these.
  if (stage.reads.size() < all.size()) stage.reads.resize(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<int64_t> words = operand_words(state, nest, all[i]);
    const auto tiles = static_cast<uint64_t>(std::popcount(nest.tiles));
    // Windows read most words of a network, and what changed places most often comes before sums.
    const bool window = multiplies(stage.kind);
    uint64_t& count = window ? state.read_words : state.single_words;
    if (count + words.size() * tiles > (window ? kMostRead : kMostSingle)) {
      // Some of its instructions alone would look like a smaller layer.
      stage.too_many = true;
      return stage.reads.clear();
    }
    count += words.size() * tiles;
    std::sort(words.begin(), words.end());
    StepReads reads{state.at, {words.begin(), words.end()}, {}};
    each_tile(nest.tiles, [&](size_t tile) {
      std::vector<MadeAt>& made = reads.made[tile];
      made.reserve(words.size());
      for (const int64_t w : words) made.push_back(state.made_at(tile, w));
    });
    stage.reads[i].push_back(std::move(reads));
  }
}

// Which words a pool finds in wide memory.
void remember_fetched(ReplayState& state, const Nest& nest, Stage& stage) {
  constexpr int64_t kQuarters = 4;  // of a line
  const int64_t line = nest.weight.start / kQuarters;
  each_tile(nest.tiles, [&](size_t tile) {
    Fetch* f = data_fetch(state, tile);
    if (f == nullptr) return;
    const Traversal& filled = state.result.steps.copy(f->step).b;
    const auto lines = static_cast<int64_t>(filled.count());
    if (line < filled.start || line >= filled.start + lines) return;
    if (!f->made.empty()) state.result.fetched[f->step] = std::move(f->made);
    f->made.clear();
    stage.fetched.push_back({state.at, f->step, tile, filled.start, lines});
  });
}

void remember_runs(ReplayState& state, const Nest& nest, Stage& stage) {
  if (stage.kind != StageKind::logistic && stage.kind != StageKind::tanh) return;
  std::vector<int64_t> words = touched_words(nest.in);
  std::sort(words.begin(), words.end());
  each_tile(nest.tiles, [&](size_t tile) {
    if (state.remembered_words > kMostRemembered) return;
    state.remembered_words += words.size();
    std::vector<OwnedRun>& runs = stage.runs.emplace_back();
    for (const int64_t w : words) {
      const Owner owner = state.narrow.at(tile, w).owner;
      if (runs.empty() || runs.back().owner != owner) runs.push_back({owner, 0});
      ++runs.back().words;
    }
  });
}

// What a layer of one position reads, where all of it is followed.
void remember_row(const ReplayState& state, const Nest& nest, Stage& stage) {
  if (stage.kind != StageKind::conv || stage.steps.size() != 1) return;
  std::vector<int64_t> words;
  std::vector<int64_t> positions;
  if (!part_levels(nest, words, positions) || positions.size() != 1) return;
  const auto tile = static_cast<size_t>(std::countr_zero(nest.tiles));
  for (const int64_t w : words) {
    const int64_t at = positions[0] + w;
    const int32_t node = at % 4 == 0 ? state.narrow.at(tile, at / 4).trace : -1;
    bool same = node >= 0;
    each_tile(nest.tiles,
              [&](size_t t) { same = same && state.narrow.at(t, at / 4).trace == node; });
    if (!same) return stage.row.clear();
    stage.row.push_back(node);
  }
}

void remember_loop_row(ReplayState& state, const Nest& nest, Stage& stage) {
  if (!state.in_loop() || stage.steps.size() != 1) return;
  if (state.remembered_words > kMostRemembered) return;
  const auto tile = static_cast<size_t>(std::countr_zero(nest.tiles));
  for (const int64_t w : touched_words(nest.in)) {
    stage.loop_row.push_back(state.narrow.at(tile, w).trace);
  }
  state.remembered_words += stage.loop_row.size();
}

// Where the lowest of the program's own parameters that it reads as data stand.
void remember_streamed(const ReplayState& state, const Nest& nest, Stage& stage) {
  for (const int64_t w : touched_words(nest.in)) {
    each_tile(nest.tiles, [&](size_t tile) {
      const OwnedWord& word = state.narrow.at(tile, w);
      if (word.owner != kStreamed) return;
      const size_t offset = word.value;
      stage.streamed = std::min(stage.streamed.value_or(offset), offset);
    });
  }
}

Corner corner(const ReplayState& state, const Nest& nest, size_t tile) {
  Corner c{state.at, tile, {}};
  for (const int64_t w : touched_words(nest.in)) {
    const OwnedWord& word = state.narrow.at(tile, w);
    // Also one that a copy brought.
    if (word.owner == kConstant || word.origin.owner == kConstant) c.constants.push_back(w);
  }
  std::sort(c.constants.begin(), c.constants.end());
  return c;
}

void remember_corners(const ReplayState& state, const Nest& nest, Stage& stage) {
  const auto highest = static_cast<size_t>(std::bit_width(nest.tiles)) - 1;
  if (!stage.first && (nest.tiles & 1U) != 0) stage.first = corner(state, nest, 0);
  if (!stage.last || stage.last->tile <= highest) stage.last = corner(state, nest, highest);
}

// The constants in the lines that a tensor instruction multiplies with: they may have been put
// there for another one before. Without such lines, what was fetched since the last one.
std::vector<uint32_t> patterns_of(const ReplayState& state, const Nest& nest) {
  constexpr int64_t kQuarters = 4;  // of a line
  const auto tile = static_cast<size_t>(std::countr_zero(nest.tiles));
  auto patterns = state.wide.constants(tile, nest.weight.start / kQuarters);
  if (!patterns.empty()) return patterns;
  for (const Fetch& f : state.fetches) {
    if (f.before_last_tensor) continue;
    patterns.insert(patterns.end(), f.patterns.begin(), f.patterns.end());
  }
  return patterns;
}

}  // namespace

std::optional<uint8_t> factor_of(const ReplayState& state, const Nest& nest) {
  constexpr int64_t kQuarters = 4;
  constexpr unsigned kBits = 8;
  constexpr uint32_t kByte = 0xFF;
  const auto tile = static_cast<size_t>(std::countr_zero(nest.tiles));
  const std::vector<uint32_t> words = state.wide.constants(tile, nest.weight.start / kQuarters);
  if (words.size() < kQuarters || nest.weight_zero_point > kByte) return std::nullopt;
  const uint32_t none = nest.weight_zero_point * 0x01010101U;
  const uint32_t number = words[0] & kByte;
  for (unsigned k = 0; k < words.size(); ++k) {
    const unsigned at = kBits * (k % kQuarters);
    if (words[k] != ((none & ~(kByte << at)) | number << at)) return std::nullopt;
  }
  return static_cast<uint8_t>(number);
}

std::vector<Votes> operand_votes(const ReplayState& state, const Nest& nest, StageKind kind,
                                 std::vector<size_t>& used) {
  if (pools(kind)) return {fetched_votes(state, nest, used)};
  std::vector<Votes> all;
  for (const Traversal& t : operands(nest, kind)) {
    all.emplace_back();
    vote(state.narrow, nest.tiles, touched_words(t), all.back());
  }
  return all;
}

bool reads_other_input(ReplayState& state, const Nest& nest, const Stage& stage) {
  if (stage.kind != StageKind::add) return false;
  const auto tile = static_cast<size_t>(std::countr_zero(nest.tiles));
  const std::vector<Traversal> all = operands(nest, stage.kind);
  for (size_t i = 0; i < all.size() && i < stage.from_inputs.size(); ++i) {
    const int64_t word = all[i].start / 4;
    const auto& before = stage.from_inputs[i];
    if (before.size() != 1 || state.narrow.at(tile, word).owner != kInput) continue;
    const auto input = state.input_map.read(state.at, tile, word);
    if (input && *input != before.begin()->first) return true;
  }
  return false;
}

void add_reads(ReplayState& state, const Nest& nest, const std::vector<Votes>& votes,
               Stage& stage) {
  remember_streamed(state, nest, stage);
  if (multiplies(stage.kind) || stage.kind == StageKind::add) remember_corners(state, nest, stage);
  stage.inputs.resize(votes.size());
  for (size_t i = 0; i < votes.size(); ++i) {
    for (const auto& [o, n] : votes[i]) stage.inputs[i][o] += n;
  }
  if (stage.kind == StageKind::add && stage.patterns.empty()) {
    stage.patterns = patterns_of(state, nest);
  }
  if (stage.kind == StageKind::rescale && !stage.factor) stage.factor = factor_of(state, nest);
  vote_channels(state, nest, stage);
  remember_row(state, nest, stage);
  remember_loop_row(state, nest, stage);
  remember_reads(state, nest, stage);
  remember_runs(state, nest, stage);
  if (pools(stage.kind)) vote(state.narrow, nest.tiles, touched_words(nest.in), stage.direct);
  if (stage.kind == StageKind::pool) remember_fetched(state, nest, stage);
}

}  // namespace edgetwin::edgetpu
