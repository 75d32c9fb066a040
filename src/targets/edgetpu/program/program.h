// The program of an executable as the decompiler reads it: all chunks in order, decoded, with the
// parameters that its instructions load.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu {

struct Step {
  Opcode opcode = Opcode::scalar;
  size_t chunk = 0;  // bitstream of the executable
  size_t word = 0;   // in the bitstream
  ByteSpan bytes;
  size_t detail = 0;  // index into Steps::nests or ::copies, as the opcode says
  Instruction instruction() const { return {&info(opcode), word, bytes}; }
};

// Whether a PARAM takes from the host's input.
bool takes_input(const Step& step);

struct Steps {
  std::vector<Step> all;
  std::vector<Nest> nests;
  std::vector<CopyPattern> copies;
  bool is_nest(size_t i) const;
  bool is_copy(size_t i) const;
  const Nest& nest(size_t i) const { return nests[all[i].detail]; }
  const CopyPattern& copy(size_t i) const { return copies[all[i].detail]; }
};

// Points into the executable's bitstreams.
Steps decode_steps(const darwinn::Executable& executable);

// A run of parameters, from one load to the next.
struct BlockPlace {
  bool cached = true;  // of the parameter-caching executable; else of the program's own
  size_t offset = 0;
  size_t bytes = 0;
  uint32_t tiles = 0;
  bool operator==(const BlockPlace&) const = default;
};

// Which parameters wait where on the chip.
struct Resident {
  std::vector<BlockPlace> blocks;  // ascending
  // (tile, line) -> index of the block.
  std::map<std::pair<int, int64_t>, size_t> at;
};
Resident resident_blocks(const darwinn::Executable& caching);

// The place that a PARAM names in parameters of `bytes` bytes; nothing: it takes something else.
std::optional<size_t> param_offset(const Step& step, size_t bytes);

}  // namespace edgetwin::edgetpu
