#include "targets/edgetpu/decompile/replay/loop.h"

#include <algorithm>
#include <bit>

#include "targets/edgetpu/decompile/replay/state.h"
#include "targets/edgetpu/decompile/stages/replay_bounds.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu {
namespace {

bool sets_register(const ScalarWord& w, unsigned index) {
  const ScalarOpInfo* op = find_scalar_op(w.op);
  const bool result = op != nullptr && op->kind != ScalarKind::none &&
                      op->kind != ScalarKind::compare && w.x == index;
  return result || (w.load != 0 && w.load_register == index);
}

bool one_run(const Traversal& t) {
  return t.lowest() == t.start &&
         t.highest() - t.start + 1 == static_cast<int64_t>(std::min(t.count(), kMostWords));
}

// The stage that makes the last row in all tiles; nothing: they are several, or none.
std::optional<Owner> last_row_owner(const ReplayState& state, const MovedRows& moved) {
  std::optional<Owner> owner;
  bool one = true;
  each_tile(moved.tiles, [&](size_t tile) {
    for (int64_t w = 0; w < moved.row; ++w) {
      const int64_t at = moved.first + (moved.rows - 1) * moved.row + w;
      const Owner here = state.narrow.at(tile, at).owner;
      one = one && here >= kFirstStage && (!owner || *owner == here);
      owner = here;
    }
  });
  return one ? owner : std::nullopt;
}

}  // namespace

std::optional<LoopSteps> find_loop(const DecodedProgram& steps) {
  std::optional<LoopSteps> loop;
  for (size_t i = 0; i < steps.all.size(); ++i) {
    const ProgramInstruction& s = steps.all[i];
    if (s.opcode != Opcode::branch) continue;
    const int64_t offset = s.instruction().get_signed("offset");
    if (offset >= 0) continue;
    const int64_t target = static_cast<int64_t>(s.word) + offset;
    for (size_t k = 0; k < i; ++k) {
      if (steps.all[k].chunk != s.chunk || static_cast<int64_t>(steps.all[k].word) < target)
        continue;
      const bool tensors = std::any_of(
          steps.all.begin() + static_cast<long>(k), steps.all.begin() + static_cast<long>(i),
          [](const ProgramInstruction& inside) { return inside.opcode == Opcode::tensor; });
      if (!tensors) break;
      if (loop) return std::nullopt;  // which of two is not known
      loop = LoopSteps{k, i};
      break;
    }
  }
  return loop;
}

std::optional<uint32_t> kept_register(const DecodedProgram& steps, const LoopSteps& loop,
                                      unsigned index) {
  std::optional<uint32_t> number;
  for (size_t i = 0; i < steps.all.size(); ++i) {
    if (steps.all[i].opcode != Opcode::scalar) continue;
    const ScalarWord w = decode_scalar(steps.all[i].bytes);
    if (!sets_register(w, index)) continue;
    const bool moved = w.op == static_cast<unsigned>(ScalarOp::mov) && w.immediate && !w.predicated;
    if (number || !moved || i >= loop.first) return std::nullopt;
    number = w.imm;
  }
  return number;
}

void name_tiles(DecodedProgram& steps, const LoopSteps& loop) {
  constexpr uint32_t kAllTiles = 0xFFFF;
  constexpr int kMost = 64;
  int looked = 0;
  for (size_t i = loop.first; i < loop.last && looked < kMost; ++i) {
    if (steps.all[i].opcode != Opcode::narrow_to_wide) continue;
    const Instruction instruction = steps.all[i].instruction();
    if (instruction.get_or_zero("tiles.dynamic") == 0) continue;
    ++looked;
    const auto index = static_cast<unsigned>(instruction.get("tiles.register"));
    const auto tiles = kept_register(steps, loop, index);
    if (!tiles || std::popcount(*tiles & kAllTiles) < 2) continue;
    CopyPattern named = steps.copy(i);
    named.tiles = *tiles & kAllTiles;
    steps.engines[steps.all[i].detail].copy = std::make_shared<const CopyPattern>(named);
  }
}

void remember_moved_rows(ReplayState& state, const CopyPattern& from, const CopyPattern& to) {
  constexpr size_t kMost = 64;
  const int64_t row = from.a.start - to.b.start;
  const auto count = static_cast<int64_t>(to.b.count());
  const bool rows = row > 0 && count % row == 0 && one_run(from.a) && one_run(to.b);
  if (!rows || to.b.start + count + row > kNarrowWords || state.moved_rows.size() >= kMost) return;
  state.moved_rows.push_back({to.tiles, to.b.start, row, count / row + 1, 0});
}

void leave_loop(ReplayState& state) {
  Traces& traces = state.result.traces;
  for (MovedRows moved : state.moved_rows) {
    const auto owner = last_row_owner(state, moved);
    const int64_t words = moved.rows * moved.row;
    if (!owner || traces.nodes.size() + static_cast<size_t>(words) > kMostTraces) continue;
    moved.stage = static_cast<size_t>(*owner - kFirstStage);
    const auto pixel = static_cast<int32_t>(traces.pixels.size());
    const auto first = static_cast<int32_t>(traces.nodes.size());
    traces.pixels.push_back({moved.stage, {}, 0, true});
    for (int32_t w = 0; w < words; ++w) traces.nodes.push_back({pixel, w});
    each_tile(moved.tiles, [&](size_t tile) {
      for (int32_t w = 0; w < words; ++w) {
        state.narrow.at(tile, moved.first + w) = OwnedWord(*owner, 0, {*owner, -1}, first + w);
      }
    });
    traces.left_rows.push_back(moved);
  }
}

int32_t begin_gate_words(ReplayState& state, const Nest& nest, size_t tile) {
  Traces& traces = state.result.traces;
  const auto pixel = static_cast<int32_t>(traces.pixels.size());
  const auto first = static_cast<int32_t>(traces.nodes.size());
  const auto words = static_cast<int32_t>(std::min<uint64_t>(nest.out.count(), kMostTraced));
  if (traces.nodes.size() > kMostTraces || nest.out.count() > kMostTraced) return -1;
  traces.pixels.push_back({state.result.stages.size() - 1, {}, tile, false});
  for (int32_t w = 0; w < words; ++w) traces.nodes.push_back({pixel, w});
  return first;
}

}  // namespace edgetwin::edgetpu
