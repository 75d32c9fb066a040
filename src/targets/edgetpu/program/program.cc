#include "targets/edgetpu/program/program.h"

#include <algorithm>
#include <bit>
#include <deque>

namespace edgetwin::edgetpu {

bool takes_input(const Step& step) {
  constexpr uint64_t kFromInput = 256;
  return step.opcode == Opcode::param && step.instruction().get("source") == kFromInput;
}

bool Steps::is_nest(size_t i) const {
  const Opcode o = all[i].opcode;
  return o == Opcode::tensor || o == Opcode::tensor_max || o == Opcode::tensor_exp ||
         o == Opcode::tensor_resize;
}

bool Steps::is_copy(size_t i) const {
  const auto code = static_cast<uint8_t>(all[i].opcode);
  return code >= static_cast<uint8_t>(Opcode::ring_send) &&
         code <= static_cast<uint8_t>(Opcode::move_right);
}

Steps decode_steps(const darwinn::Executable& executable) {
  Steps steps;
  for (size_t c = 0; c < executable.bitstreams.size(); ++c) {
    for (const Instruction& i : parse(executable.bitstreams[c].data).instructions) {
      Step step{i.opcode(), c, i.word, i.bytes, 0};
      if (const auto nest = decode_nest(i)) {
        step.detail = steps.nests.size();
        steps.nests.push_back(*nest);
      } else if (const auto copy = decode_copy(i)) {
        step.detail = steps.copies.size();
        steps.copies.push_back(*copy);
      }
      steps.all.push_back(step);
    }
  }
  return steps;
}

std::optional<size_t> param_offset(const Step& step, size_t bytes) {
  constexpr uint64_t kParameters = 16;
  const uint64_t lines = step.instruction().get("lines");
  if (lines == 0 || step.instruction().get("source") != kParameters) return std::nullopt;
  const size_t offset = (lines - 1) * kLineBytes;
  constexpr size_t kUnit = 16;
  constexpr size_t kWindow = 131072;
  if (offset >= bytes || step.instruction().get("offset16") * kUnit != offset % kWindow)
    return std::nullopt;
  return offset;
}

// A receive names tile and line; the PARAM that belongs to it is the next one for this tile.
Resident resident_blocks(const darwinn::Executable& caching) {
  Resident resident;
  const Steps steps = decode_steps(caching);
  std::map<int, std::deque<int64_t>> waiting;
  struct Load {
    size_t offset;
    int tile;
    int64_t line;
  };
  std::vector<Load> loads;
  for (size_t i = 0; i < steps.all.size(); ++i) {
    const Step& s = steps.all[i];
    if (s.opcode == Opcode::ring_receive) {
      const CopyPattern& c = steps.copy(i);
      if (std::popcount(c.tiles) == 1) waiting[std::countr_zero(c.tiles)].push_back(c.a.start);
    }
    if (s.opcode != Opcode::param) continue;
    const auto offset = param_offset(s, caching.parameters.size());
    const auto tiles = static_cast<uint32_t>(s.instruction().get("tiles"));
    if (!offset || std::popcount(tiles) != 1) continue;
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
