#include "targets/edgetpu/program/blocks.h"

#include <algorithm>
#include <deque>

#include "targets/edgetpu/program/program.h"

namespace edgetwin::edgetpu {
namespace {

// A receiver on the ring bus that waits for its block.
struct Receiver {
  uint32_t tiles;
  int64_t address;
};

int64_t take_address(std::deque<Receiver>& waiting, uint32_t tiles) {
  const auto found = std::find_if(waiting.begin(), waiting.end(),
                                  [&](const Receiver& r) { return r.tiles == tiles; });
  if (found == waiting.end()) return -1;
  const int64_t address = found->address;
  waiting.erase(found);
  return address;
}

}  // namespace

std::vector<ParameterBlock> parameter_blocks(const darwinn::Executable& e) {
  std::vector<ParameterBlock> blocks;
  const bool caching = e.type == darwinn::ExecutableType::parameter_caching;
  const uint64_t bytes = e.parameters.size();
  const DecodedProgram program = decode_program(e);
  std::deque<Receiver> waiting;
  size_t chunk = 0;
  for (const ProgramInstruction& i : program.all) {
    if (i.chunk != chunk) waiting.clear();
    chunk = i.chunk;
    if (caching && i.opcode == Opcode::ring_receive) {
      waiting.push_back({program.fields(i).tiles, program.fields(i).a.path.start});
    }
    if (i.opcode != Opcode::param) continue;
    const EngineFields& f = program.fields(i);
    if (!f.parameter_place) continue;
    const uint64_t offset = (f.lines - 1) * kLineBytes;
    if (offset >= bytes) continue;
    const uint32_t tiles = f.destination;
    blocks.push_back({offset, 0, tiles, take_address(waiting, tiles), i.chunk, i.word});
  }
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const auto& x, const auto& y) { return x.offset < y.offset; });
  for (size_t i = 0; i < blocks.size(); ++i) {
    const uint64_t end = i + 1 < blocks.size() ? blocks[i + 1].offset : bytes;
    blocks[i].size = end - blocks[i].offset;
  }
  return blocks;
}

}  // namespace edgetwin::edgetpu
