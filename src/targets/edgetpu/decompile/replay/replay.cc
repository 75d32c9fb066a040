#include "targets/edgetpu/decompile/replay/replay.h"

#include <bit>

#include "targets/edgetpu/decompile/replay/fetch.h"
#include "targets/edgetpu/decompile/replay/moves.h"
#include "targets/edgetpu/decompile/replay/parameters.h"
#include "targets/edgetpu/decompile/replay/state.h"
#include "targets/edgetpu/decompile/replay/store.h"
#include "targets/edgetpu/decompile/replay/tensor.h"

namespace edgetwin::edgetpu {
namespace {

// Words of narrow memory that go from tile to tile.
void send_kept(ReplayState& state, const ProgramInstruction& s, const CopyPattern& c) {
  const Instruction i = s.instruction();
  if (std::popcount(c.tiles) != 1 || i.get("second") != 0 || i.get("outfeed") != 0) {
    return state.wide.others_send();
  }
  const auto to = static_cast<uint32_t>(i.get("destination"));
  const auto source = static_cast<size_t>(std::countr_zero(c.tiles));
  if (!state.wide.send(source, to, c.a)) return;
  state.after_fetch = false;
  state.take_lines(uint32_t{1} << source, c.a);
}

Status replay_step(ReplayState& state) {
  const DecodedProgram& steps = state.result.steps;
  const ProgramInstruction& s = steps.all[state.at];
  if (steps.is_nest(state.at)) return replay_tensor(state, steps.nest(state.at));
  switch (s.opcode) {
    case Opcode::ring_send:
      load_resident(state, steps.copy(state.at));
      send_kept(state, s, steps.copy(state.at));
      return Ok{};
    case Opcode::ring_receive:
    case Opcode::ring_receive1:
      state.wide.receive(steps.copy(state.at).a, steps.copy(state.at).tiles);
      return Ok{};
    case Opcode::param:
      state.wide.others_send();
      load_streamed(state, s);
      return Ok{};
    case Opcode::narrow_to_wide:
      return replay_fetch(state, steps.copy(state.at));
    case Opcode::wide_to_narrow:
      return replay_store(state, steps.copy(state.at));
    case Opcode::outfeed:
      replay_send(state);
      return Ok{};
    case Opcode::move_down:
    case Opcode::move_left:
    case Opcode::move_up:
    case Opcode::move_right:
      state.moves.push_back(state.at);
      return Ok{};
    case Opcode::branch:
      if (!state.loop || state.at != state.loop->last) return Ok{};
      EDGETWIN_TRY(flush_moves(state));
      leave_loop(state);
      return Ok{};
    default:
      return Ok{};
  }
}

}  // namespace

Result<Replay> replay(const darwinn::Executable& executable, const Resident& resident,
                      ReplayLimits limits) {
  ReplayState state(executable, resident, limits);
  Replay& result = state.result;
  for (; state.at < result.steps.all.size(); ++state.at) EDGETWIN_TRY(replay_step(state));
  EDGETWIN_TRY(flush_moves(state));
  for (size_t b = 0; b < state.loaded.size(); ++b) {
    if (!state.loaded[b]) result.unused_resident.push_back(b);
  }
  result.inputs_certain = state.input_map.certain();
  for (size_t n = 0; const auto input = state.input_map.input_of(n); ++n) {
    result.requests.push_back(*input);
  }
  return std::move(result);
}

}  // namespace edgetwin::edgetpu
