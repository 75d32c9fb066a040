#include "targets/edgetpu/decompile/replay/state.h"

#include <algorithm>

#include "targets/edgetpu/decompile/stages/parted_output.h"

namespace edgetwin::edgetpu {
namespace {

Replay decoded(const darwinn::Executable& program) {
  Replay r;
  r.steps = decode_program(program);
  if (const auto loop = find_loop(r.steps)) name_tiles(r.steps, *loop);
  return r;
}

}  // namespace

ReplayState::ReplayState(const darwinn::Executable& program, const Resident& waiting,
                         ReplayLimits most)
    : executable(program),
      resident(waiting),
      limits(most),
      result(decoded(program)),
      loop(find_loop(result.steps)),
      input_map(program, result.steps),
      host(program, result.steps),
      feeders(find_feeders(result.steps)),
      loaded(waiting.blocks.size(), false),
      parted(std::ranges::any_of(program.outputs, leaves_in_parts)) {
  result.input_places.resize(program.inputs.size());
}

Error ReplayState::error(const std::string& message) const {
  const ProgramInstruction& s = result.steps.all[at];
  return Error(ErrorCode::decompile_program,
               "chunk " + std::to_string(s.chunk) + ", word " + std::to_string(s.word) + " '" +
                   std::string(info(s.opcode).name) + "': " + message);
}

Status ReplayState::claim(uint64_t places, int64_t lowest, int64_t highest, int64_t size) {
  if (places > limits.places) {
    return error("its loops touch " + std::to_string(places) + " places, more than the limit");
  }
  limits.places -= places;
  if (lowest >= 0 && highest < size) return Ok{};
  return error("addresses " + std::to_string(lowest) + " to " + std::to_string(highest) +
               " are not in a memory of " + std::to_string(size));
}

void ReplayState::set(size_t tile, int64_t word, Owner owner, uint32_t value) {
  narrow.at(tile, word) = OwnedWord(owner, value);
}

Origin ReplayState::origin_at(size_t tile, int64_t word, int64_t k, int64_t period) {
  const Origin& o = narrow.at(tile, word).origin;
  if (o.owner != kInput) return o;
  const auto input = input_map.read(at, tile, word);
  if (!input || *input >= executable.inputs.size()) return o;
  const int64_t channels = executable.inputs[*input].z_dim;
  if (channels % 4 != 0 || channels / 4 != period) return o;
  return {-1 - static_cast<Owner>(*input), static_cast<int32_t>(k)};
}

MadeAt ReplayState::made_at(size_t tile, int64_t word) const {
  const OwnedWord& w = narrow.at(tile, word);
  if (w.owner == kConstant) return {kConstant, static_cast<int32_t>(w.value)};
  return {w.maker, w.born};
}

void ReplayState::take_lines(uint32_t tiles, const Traversal& lines) {
  for (Fetch& f : fetches) {
    const CopyPattern& filled = result.steps.copy(f.step);
    const bool here = (filled.tiles & tiles) != 0 && filled.b.lowest() <= lines.highest() &&
                      lines.lowest() <= filled.b.highest();
    if (here) f.sent = true;
  }
}

Owner ReplayState::last_owner() const {
  return static_cast<Owner>(result.stages.size() - 1) + kFirstStage;
}

}  // namespace edgetwin::edgetpu
