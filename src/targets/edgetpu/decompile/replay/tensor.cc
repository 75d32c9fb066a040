#include "targets/edgetpu/decompile/replay/tensor.h"

#include "targets/edgetpu/decompile/replay/moves.h"
#include "targets/edgetpu/decompile/replay/stage_reads.h"
#include "targets/edgetpu/decompile/replay/stage_writes.h"
#include "targets/edgetpu/decompile/stages/classify.h"

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

Stage& stage_of(ReplayState& state, const Nest& nest, StageKind kind,
                const std::vector<Votes>& votes) {
  std::vector<Stage>& stages = state.result.stages;
  if (continues(state, nest, kind, votes)) return stages.back();
  Stage stage;
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
