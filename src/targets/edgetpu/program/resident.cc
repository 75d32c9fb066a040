#include "targets/edgetpu/program/resident.h"

#include <algorithm>
#include <bit>
#include <deque>

#include "targets/edgetpu/program/program.h"

namespace edgetwin::edgetpu {

// A receive names tile and line; the PARAM that belongs to it is the next one for this tile.
Resident resident_blocks(const darwinn::Executable& caching) {
  Resident resident;
  const DecodedProgram program = decode_program(caching);
  std::map<int, std::deque<int64_t>> waiting;
  struct Load {
    size_t offset;
    int tile;
    int64_t line;
  };
  std::vector<Load> loads;
  for (size_t i = 0; i < program.all.size(); ++i) {
    const ProgramInstruction& s = program.all[i];
    if (s.opcode == Opcode::ring_receive) {
      const CopyPattern& c = program.copy(i);
      if (std::popcount(c.tiles) == 1) waiting[std::countr_zero(c.tiles)].push_back(c.a.start);
    }
    const auto offset = program.param_offset(s, caching.parameters.size());
    if (!offset) continue;
    const uint32_t tiles = program.fields(s).destination;
    if (std::popcount(tiles) != 1) continue;
    auto& queue = waiting[std::countr_zero(tiles)];
    if (queue.empty()) continue;
    loads.push_back({*offset, std::countr_zero(tiles), queue.front()});
    queue.pop_front();
  }
  std::sort(loads.begin(), loads.end(),
            [](const Load& x, const Load& y) { return x.offset < y.offset; });
  for (size_t i = 0; i < loads.size(); ++i) {
    size_t end = caching.parameters.size();
    if (i + 1 < loads.size()) end = loads[i + 1].offset;
    resident.at[{loads[i].tile, loads[i].line}] = resident.blocks.size();
    resident.blocks.push_back(
        {true, loads[i].offset, end - loads[i].offset, 1U << static_cast<unsigned>(loads[i].tile)});
  }
  return resident;
}

}  // namespace edgetwin::edgetpu
