#include "targets/edgetpu/decompile/replay/fetch.h"

#include <algorithm>
#include <bit>

#include "targets/edgetpu/decompile/replay/moves.h"
#include "targets/edgetpu/decompile/stages/replay_bounds.h"

namespace edgetwin::edgetpu {
namespace {

void remember_word(const Origin& word, std::vector<Origin>& words) {
  if (words.size() < kMostChannelWords &&
      std::find(words.begin(), words.end(), word) == words.end()) {
    words.push_back(word);
  }
}

void remember_loop_fetch(ReplayState& state, const CopyPattern& c) {
  constexpr size_t kMost = 64;
  if (state.result.traces.loop_fetches.size() >= kMost) return;
  LoopFetch f;
  f.step = state.at;
  f.words = c.a.count();
  for (size_t tile = 0; tile < f.nodes.size(); ++tile) {
    for (int64_t w = c.a.start; w < kNarrowWords && state.narrow.at(tile, w).trace >= 0; ++w) {
      f.nodes[tile].push_back(state.narrow.at(tile, w).trace);
    }
  }
  state.result.traces.loop_fetches.push_back(std::move(f));
}

void add_resident(size_t place, ResidentPart& part) {
  part.first = part.words == 0 ? place : std::min(part.first, place);
  part.last = std::max(part.last, place);
  ++part.words;
}

Fetch read_words(ReplayState& state, const CopyPattern& c) {
  Fetch fetched;
  fetched.step = state.at;
  const uint64_t words = c.a.count() * static_cast<uint64_t>(std::popcount(c.tiles));
  uint64_t& count = state.parted ? state.fetched_words : state.read_words;
  const bool remembered = count + words <= kMostRead;
  if (remembered) count += words;
  each_tile(c.tiles, [&](size_t tile) {
    if (remembered) fetched.made.push_back({tile, {}});
    walk(c.a, c.a.count(), [&](int64_t a) {
      const OwnedWord& from = state.narrow.at(tile, a);
      ++fetched.votes[tile][from.owner];
      if (remembered) fetched.made.back().made.push_back(state.made_at(tile, a));
      ++fetched.count;
      remember_word(from.origin, fetched.words);
      if (from.owner == kResident) add_resident(from.value, fetched.resident[tile]);
      if (state.in_loop() && fetched.nodes.size() < kMostTraced &&
          tile == static_cast<size_t>(std::countr_zero(c.tiles))) {
        fetched.nodes.push_back(from.trace);
      }
      if (from.owner == kConstant && fetched.patterns.size() < kMostPatterns &&
          tile == static_cast<size_t>(std::countr_zero(c.tiles))) {
        fetched.patterns.push_back(from.value);
      }
    });
  });
  return fetched;
}

// The words of all tiles, in the order in which they are fetched.
void add_factor_reads(const CopyPattern& c, const Fetch& fetched, Stage& stage) {
  if (stage.reads.empty()) return;
  stage.reads.resize(2);
  StepReads reads{fetched.step, {}, {}};
  walk(c.a, c.a.count(), [&](int64_t a) { reads.words.push_back(static_cast<int32_t>(a)); });
  for (const TileWords& t : fetched.made) reads.made[t.tile] = t.made;
  stage.reads[1].push_back(std::move(reads));
}

// The second operand of a product is fetched after it.
void add_factor(ReplayState& state, const CopyPattern& c, const Fetch& fetched) {
  if (!state.product) return;
  Stage& stage = state.result.stages[*state.product];
  const auto own = static_cast<Owner>(*state.product) + kFirstStage;
  Votes votes;
  for (const Votes& v : fetched.votes) {
    for (const auto& [o, n] : v) {
      if (o != own && o != kConstant && o != kUnknown) votes[o] += n;
    }
  }
  state.product.reset();
  stage.loop_factors = fetched.nodes;
  for (const auto& [tile, part] : fetched.resident) stage.resident[tile] = part;
  if (!votes.empty()) stage.inputs.push_back(std::move(votes));
  if (!fetched.made.empty()) add_factor_reads(c, fetched, stage);
}

}  // namespace

Status replay_fetch(ReplayState& state, const CopyPattern& c) {
  EDGETWIN_TRY(flush_moves(state));
  const uint64_t count = c.a.count();
  if (count > kMostWords) return state.error("it moves too many words");
  EDGETWIN_TRY(state.claim(count * kTiles, c.a.lowest(), c.a.highest(), kNarrowWords));
  const bool moving = state.result.steps.all[state.at].instruction().get("a.dynamic") != 0;
  if (c.tiles == 0 || moving) remember_loop_fetch(state, c);
  if (c.b_buffers == 0) state.wide.keep(c, state.narrow);
  Fetch fetched = read_words(state, c);
  state.wide.overwrite(c.b.start);
  add_factor(state, c, fetched);
  state.fetches.push_back(std::move(fetched));
  state.after_fetch = true;
  return Ok{};
}

void replay_send(ReplayState& state) {
  if (!state.after_fetch || state.fetches.empty()) return;
  std::vector<Sent> sent;  // last first
  for (auto f = state.fetches.rbegin(); f != state.fetches.rend() && !f->sent; ++f) {
    if (f->before_last_tensor) break;
    f->sent = true;
    Sent s{f->step, {}, f->words, f->count, std::move(f->made)};
    for (const Votes& v : f->votes) {
      for (const auto& [o, n] : v) s.votes[o] += n;
    }
    sent.push_back(std::move(s));
  }
  state.result.sent.insert(state.result.sent.end(), sent.rbegin(), sent.rend());
}

}  // namespace edgetwin::edgetpu
