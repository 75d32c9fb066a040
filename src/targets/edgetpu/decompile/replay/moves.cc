#include "targets/edgetpu/decompile/replay/moves.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "targets/edgetpu/decompile/stages/mesh_moves.h"
#include "targets/edgetpu/decompile/stages/replay_bounds.h"

namespace edgetwin::edgetpu {
namespace {

Status check_move(ReplayState& state, const CopyPattern& c, uint64_t& words) {
  const auto tiles = static_cast<uint64_t>(std::popcount(c.tiles));
  const auto check = [&](const Traversal& t) -> Status {
    const uint64_t count = t.count();
    words += std::min(count, kMostWords) * tiles;
    if (count > kMostWords || words > kMostPending) return state.error("it moves too many words");
    return state.claim(count * tiles, t.lowest(), t.highest(), kNarrowWords);
  };
  if (c.uses_a()) EDGETWIN_TRY(check(c.a));
  if (c.uses_b() || c.fill) EDGETWIN_TRY(check(c.b));
  return Ok{};
}

}  // namespace

Status flush_moves(ReplayState& state) {
  std::vector<size_t> moves;
  moves.swap(state.moves);
  std::vector<std::pair<Opcode, std::vector<const CopyPattern*>>> groups;
  const size_t now = state.at;
  uint64_t words = 0;
  for (const size_t m : moves) {
    state.at = m;  // for errors
    const CopyPattern& c = state.result.steps.copy(m);
    EDGETWIN_TRY(check_move(state, c, words));
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& g) { return g.first == c.opcode; });
    if (group == groups.end()) group = groups.insert(groups.end(), {c.opcode, {}});
    group->second.push_back(&c);
  }
  state.at = now;
  for (const auto& [opcode, patterns] : groups) run_mesh(state.narrow, patterns);
  return Ok{};
}

}  // namespace edgetwin::edgetpu
