// What the engines of the tiles have counted where barriers do not begin anew.
#include <algorithm>

#include "targets/edgetpu/compile/emit/program.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Instruction decoded(const Assembly& a) {
  const ByteSpan bytes(a.bytes());
  return {find_opcode(opcode_of(bytes.first(kWordBytes))), 0, bytes};
}

// Passes of a level: at level 0 places, of which a shorter pass has fewer.
int64_t passes_of(const Traversal& t, size_t level) {
  if (level == 0) return static_cast<int64_t>(t.count());
  int64_t n = 1;
  for (size_t k = level; k < t.size; ++k) n *= t.level[k].count;
  return n;
}

int64_t passes_of(const Instruction& i, const CountProducer& producer) {
  if (const auto copy = decode_copy(i)) {
    return passes_of(producer.side == EngineSide::a ? copy->a : copy->b, producer.level);
  }
  const auto nest = decode_nest(i);
  if (!nest) return 0;
  const Traversal& t = producer.side == EngineSide::out      ? nest->out
                       : producer.side == EngineSide::weight ? nest->weight
                                                             : nest->acc;
  return passes_of(t, producer.level);
}

}  // namespace

Assembly Program::in_tile(const Assembly& instruction, int tile) const {
  Assembly moved = instruction;
  if (!vendor()) return moved;
  const Counts& base = base_[static_cast<size_t>(tile)];
  for (const Watcher& w : watchers_of(decoded(instruction))) {
    if (w.counter.scalar() || w.counter.index() >= kCounted) continue;
    const int64_t start = w.start + base[w.counter.index()];
    moved.set("wait.start", static_cast<uint64_t>(start), w.element);
  }
  return moved;
}

int64_t Program::since_barrier(TileCounter counter) const {
  const auto k = static_cast<size_t>(counter);
  return counted_[0].at(k) - base_[0].at(k);
}

bool Program::has_counted(TileCounter counter) const {
  return std::ranges::any_of(
      counted_, [k = static_cast<size_t>(counter)](const Counts& c) { return c.at(k) != 0; });
}

void Program::count(const Assembly& instruction) {
  const Instruction i = decoded(instruction);
  for (const CountProducer& producer : producers_of(i)) {
    if (producer.counter.scalar() || producer.counter.index() >= kCounted) continue;
    const int64_t n = passes_of(i, producer);
    // Where a register holds the tiles it names all of them.
    const auto tiles =
        i.get_or_zero("tiles.dynamic") != 0 ? kAllTiles : i.get(*find_field(i.opcode(), "tiles"));
    for (size_t t = 0; t < counted_.size(); ++t) {
      if ((tiles >> t & 1U) != 0) counted_[t][producer.counter.index()] += n;
    }
  }
}

// Something is near the end of what 16 bits compare.
bool Program::near_end() const {
  constexpr int64_t kMost = 16000;
  return std::ranges::any_of(counted_,
                             [](const Counts& c) { return *std::ranges::max_element(c) >= kMost; });
}

}  // namespace edgetwin::edgetpu::compiler
