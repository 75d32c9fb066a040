#include "targets/edgetpu/decompile/replay/moves.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_set>
#include <vector>

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

// Moves of all directions that run side by side: one queue per direction and tile.
class MoveBatch {
 public:
  // Whether a move reads what a direction that is run after its own brings; then all before it have
  // to be done first. Not while words are still on their way: their receivers belong to them.
  bool is_before(const CopyPattern& c) const {
    const auto own = find(c.opcode);
    if (own == groups_.end() || !c.uses_a() || !balanced()) return false;
    const std::vector<uint32_t> read = places(c, c.a);
    return std::any_of(own + 1, groups_.end(), [&](const Group& g) {
      return std::any_of(read.begin(), read.end(),
                         [&](uint32_t place) { return g.written.contains(place); });
    });
  }
  void add(const CopyPattern& c) {
    auto own = groups_.begin() + (find(c.opcode) - groups_.cbegin());
    if (own == groups_.end()) own = groups_.insert(groups_.end(), Group{c.opcode, {}, {}, {}});
    own->patterns.push_back(&c);
    if (c.uses_b() || c.fill) {
      for (const uint32_t place : places(c, c.b)) own->written.insert(place);
    }
    each_tile(c.tiles, [&](size_t tile) {
      const auto to = mesh_receiver(c, static_cast<int>(tile));
      if (c.uses_a() && to) own->waiting[static_cast<size_t>(*to)] += words(c.a);
      if (c.uses_b() && !c.fill) own->waiting[tile] -= words(c.b);
    });
  }
  void run(Narrow& narrow) {
    for (const Group& g : groups_) run_mesh(narrow, g.patterns);
    groups_.clear();
  }

 private:
  struct Group {
    Opcode opcode;
    std::vector<const CopyPattern*> patterns;
    std::unordered_set<uint32_t> written;
    std::array<int64_t, kTiles> waiting;  // words sent to a tile and not yet received
  };
  std::vector<Group>::const_iterator find(Opcode opcode) const {
    return std::find_if(groups_.begin(), groups_.end(),
                        [&](const Group& g) { return g.opcode == opcode; });
  }
  bool balanced() const {
    return std::all_of(groups_.begin(), groups_.end(), [](const Group& g) {
      return std::all_of(g.waiting.begin(), g.waiting.end(), [](int64_t n) { return n == 0; });
    });
  }
  static int64_t words(const Traversal& t) { return static_cast<int64_t>(t.count()); }
  static std::vector<uint32_t> places(const CopyPattern& c, const Traversal& t) {
    std::vector<uint32_t> all;
    each_tile(c.tiles, [&](size_t tile) {
      walk(t, t.count(), [&](int64_t word) {
        all.push_back(static_cast<uint32_t>(tile) * static_cast<uint32_t>(kNarrowWords) +
                      static_cast<uint32_t>(word));
      });
    });
    return all;
  }
  std::vector<Group> groups_;
};

}  // namespace

Status flush_moves(ReplayState& state) {
  std::vector<size_t> moves;
  moves.swap(state.moves);
  MoveBatch batch;
  const size_t now = state.at;
  uint64_t words = 0;
  for (const size_t m : moves) {
    state.at = m;  // for errors
    const CopyPattern& c = state.result.steps.copy(m);
    EDGETWIN_TRY(check_move(state, c, words));
    if (batch.is_before(c)) batch.run(state.narrow);
    batch.add(c);
  }
  state.at = now;
  batch.run(state.narrow);
  return Ok{};
}

}  // namespace edgetwin::edgetpu
