#include "targets/edgetpu/program/blocks.h"

#include <algorithm>
#include <deque>

#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {
namespace {

constexpr uint64_t kUnit = 16;
constexpr uint64_t kWindow = uint64_t{1} << 17;

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
  for (size_t chunk = 0; chunk < e.bitstreams.size(); ++chunk) {
    std::deque<Receiver> waiting;
    for (const Instruction& i : parse(e.bitstreams[chunk].data).instructions) {
      if (caching && i.opcode() == Opcode::ring_receive) {
        waiting.push_back(
            {static_cast<uint32_t>(i.get("tiles")), static_cast<int64_t>(i.get("a.start"))});
      }
      if (i.opcode() != Opcode::param || i.get("lines") == 0) continue;
      const uint64_t offset = (i.get("lines") - 1) * kLineBytes;
      const bool agrees = i.get("offset16") * kUnit == offset % kWindow;
      if (!agrees || offset >= bytes) continue;
      const auto tiles = static_cast<uint32_t>(i.get("tiles"));
      blocks.push_back({offset, 0, tiles, take_address(waiting, tiles), chunk, i.word});
    }
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
