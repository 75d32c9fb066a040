#include "targets/edgetpu/decompile/replay/tensor.h"

#include <algorithm>
#include <bit>
#include <set>

#include "targets/edgetpu/decompile/replay/moves.h"
#include "targets/edgetpu/decompile/replay/stage_reads.h"
#include "targets/edgetpu/decompile/replay/stage_writes.h"
#include "targets/edgetpu/decompile/stages/classify.h"
#include "targets/edgetpu/decompile/stages/word_walks.h"

namespace edgetwin::edgetpu {
namespace {

Status check_size(ReplayState& state, const Nest& nest) {
  if (nest.tiles == 0) return state.error("it names no tiles");
  const uint64_t most = state.limits.places;
  if (nest.loops() > most || nest.in.count() > most || nest.out.count() > most) {
    return state.error("its loops run more often than the limit");
  }
  // Once for the owners of all words, once for their channels.
  EDGETWIN_TRY(state.claim(2 * nest.in.count(), nest.in.lowest(), nest.in.highest(), kNarrowBytes));
  return state.claim(nest.out.count() * kTiles, nest.out.lowest(), nest.out.highest(),
                     kNarrowBytes);
}

// The same weights for all: positions of one word, which look like a depthwise layer's groups of
// channels, but for those.
bool weights_stay(const ReplayState& state, const Nest& nest) {
  const Instruction i = state.result.steps.all[state.at].instruction();
  const uint64_t next = i.get("weight.switch_level");
  for (size_t k = next; k < nest.weight.size; ++k) {
    if (nest.weight.level[k].count > 1) return false;
  }
  return next > 0;
}

// A matrix that has one number instead of ones, which the mesh put there: every byte times it.
bool multiplies_number(const ReplayState& state, const Nest& nest) {
  constexpr uint32_t kSmall = 0x30;
  return nest.kind == kSmall && !nest.has_scales && !nest.has_bias &&
         factor_of(state, nest).has_value();
}

// Up to four channels to at most four are selected by an instruction that looks like a copy, but
// for its weights: a copy's come from constants, these from the ring.
StageKind kind_of(const ReplayState& state, const Nest& nest) {
  StageKind kind = classify(nest);
  if (kind == StageKind::depthwise && weights_stay(state, nest)) kind = StageKind::conv;
  if (kind == StageKind::conv && multiplies_number(state, nest)) return StageKind::rescale;
  if (kind == StageKind::conv && is_selection(nest)) return StageKind::selection;
  constexpr uint32_t kSmall = 0x30;
  constexpr int64_t kQuarters = 4;
  const bool small = kind == StageKind::copy && nest.kind == kSmall && !nest.has_scales &&
                     !nest.function && nest.weight_zero_point == 0;
  const bool matrix = small && state.wide.came_by_ring(nest.weight.start / kQuarters);
  return matrix ? StageKind::selection : kind;
}

bool same_numbers(const Nest& x, const Nest& y) {
  return x.opcode == y.opcode && (x.kind & ~kKindFinished) == (y.kind & ~kKindFinished) &&
         x.channel_zero_points == y.channel_zero_points &&
         x.weight_zero_point == y.weight_zero_point && x.input_zero_point == y.input_zero_point &&
         x.multiplier == y.multiplier && x.upper == y.upper && x.lower == y.lower &&
         x.constant == y.constant && x.output_zero_point == y.output_zero_point &&
         x.has_bias == y.has_bias && x.has_scales == y.has_scales && x.function == y.function;
}

// Whether the instruction belongs to the last stage: the same operator over other tiles or another
// band. Without weights it does not read that stage's own results.
bool continues(ReplayState& state, const Nest& nest, StageKind kind,
               const std::vector<Votes>& votes) {
  if (state.result.stages.empty()) return false;
  const Stage& last = state.result.stages.back();
  const Owner owner = state.last_owner();
  bool own = false;
  for (const Votes& v : votes) own = own || v.contains(owner);
  return !last.closed && last.kind == kind && last.reduction == nest.reduction() &&
         same_numbers(last.nest, nest) && (multiplies(kind) || !own) &&
         !reads_other_input(state, nest, last);
}

// Whether something was put where the instruction reads after another one.
bool stored_since(const ReplayState& state, const Nest& nest, size_t step) {
  for (size_t i = step + 1; i < state.at; ++i) {
    if (state.result.steps.all[i].opcode != Opcode::wide_to_narrow) continue;
    const CopyPattern& c = state.result.steps.copy(i);
    const bool here = (c.tiles & nest.tiles) != 0 && c.b.lowest() <= nest.in.highest() / 4 &&
                      c.b.highest() >= nest.in.lowest() / 4;
    if (here && !c.numbers) return true;
  }
  return false;
}

// Words of constants have none; where nobody is known nothing is said.
bool no_maker_in_common(const std::vector<MadeAt>& x, const std::vector<MadeAt>& y) {
  const auto makers = [](const std::vector<MadeAt>& all) {
    std::set<Owner> found;
    for (const MadeAt& m : all) {
      if (m.maker != kConstant) found.insert(m.maker);
    }
    return found;
  };
  const std::set<Owner> of_x = makers(x), of_y = makers(y);
  if (of_x.empty() || of_y.empty() || of_x.contains(kUnknown)) return false;
  return std::ranges::none_of(of_y, [&](Owner o) { return o == kUnknown || of_x.contains(o); });
}

// What a rescaling reads in a tile, beside what the stage's instructions read there: more of the
// same picture, other producers' words alone, or the very words of one of them once more.
enum class NewReads : uint8_t { more, others, again };
NewReads new_reads(const ReplayState& state, const Nest& nest, const Stage& stage) {
  if (stage.kind != StageKind::rescale || stage.reads.empty()) return NewReads::more;
  std::vector<int64_t> words = touched_words(nest.in);
  std::sort(words.begin(), words.end());
  const auto tile = static_cast<size_t>(std::countr_zero(nest.tiles));
  std::vector<MadeAt> made;
  made.reserve(words.size());
  for (const int64_t w : words) made.push_back(state.made_at(tile, w));
  bool before = false, others = true;
  for (const StepReads& r : stage.reads.front()) {
    const auto found = r.made.find(tile);
    if (found == r.made.end()) continue;
    before = true;
    const bool same = std::ranges::equal(r.words, words) && found->second == made;
    if (same && !stored_since(state, nest, r.step)) return NewReads::again;
    others = others && no_maker_in_common(found->second, made);
  }
  return before && others ? NewReads::others : NewReads::more;
}

Stage& stage_of(ReplayState& state, const Nest& nest, StageKind kind,
                const std::vector<Votes>& votes) {
  std::vector<Stage>& stages = state.result.stages;
  NewReads reads = NewReads::more;
  if (continues(state, nest, kind, votes)) {
    reads = new_reads(state, nest, stages.back());
    if (reads == NewReads::more) return stages.back();
  }
  Stage stage;
  stage.again = reads == NewReads::again;
  stage.kind = kind;
  stage.nest = nest;
  stage.reduction = nest.reduction();
  stages.push_back(std::move(stage));
  return stages.back();
}

// Fetches before this instruction belong to it; only a few may still matter to later ones.
void close_fetches(ReplayState& state) {
  constexpr size_t kMost = 64;
  for (Fetch& f : state.fetches) f.before_last_tensor = true;
  if (state.fetches.size() > kMost) {
    state.fetches.erase(state.fetches.begin(), state.fetches.end() - kMost);
  }
  state.after_fetch = false;
}

}  // namespace

Status replay_tensor(ReplayState& state, const Nest& nest) {
  EDGETWIN_TRY(flush_moves(state));
  EDGETWIN_TRY(check_size(state, nest));
  const StageKind kind = kind_of(state, nest);
  fill_buffers(state, nest);
  std::vector<size_t> used;
  const std::vector<Votes> votes = operand_votes(state, nest, kind, used);
  Stage& stage = stage_of(state, nest, kind, votes);
  stage.steps.push_back(state.at);
  stage.fetches.insert(stage.fetches.end(), used.begin(), used.end());
  add_reads(state, nest, votes, stage);
  write_output(state, nest);
  close_fetches(state);
  state.product.reset();
  if (kind == StageKind::mul) state.product = state.result.stages.size() - 1;
  return Ok{};
}

}  // namespace edgetwin::edgetpu
