// Small programs, instruction by instruction, as a compiler could have written them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {

using NetLevels = std::vector<std::pair<int64_t, int64_t>>;  // net stride, count

// Steps that walk over `levels`; innermost first. All others stay as they are.
inline void set_levels(Assembly& a, const GeneratorFields& side, const NetLevels& levels) {
  int64_t end = 0;
  for (size_t k = 0; k < levels.size(); ++k) {
    const auto [net, count] = levels[k];
    a.set(side.step, static_cast<uint64_t>(net - end), k);
    a.set(side.count, static_cast<uint64_t>(count - 1), k);
    end += net * (count - 1);
  }
}

struct Side {
  int64_t start = 0;
  NetLevels levels;
};

inline Assembly tensor(uint32_t tiles, const std::vector<int64_t>& loops, const Side& in,
                       const Side& out, uint32_t kind = 0x38) {
  Assembly a(Opcode::tensor);
  a.set("tiles", tiles).set("kind", kind);
  for (size_t k = 0; k < loops.size(); ++k) a.set("loop", static_cast<uint64_t>(loops[k] - 1), k);
  a.set("in.start", static_cast<uint64_t>(in.start));
  a.set("out.start", static_cast<uint64_t>(out.start));
  set_levels(a, GeneratorFields("in"), in.levels);
  set_levels(a, GeneratorFields("out"), out.levels);
  return a;
}

// What a copy reads and writes; a side without levels and address is not used.
inline Assembly copy(Opcode opcode, uint32_t tiles, const Side& a, const Side& b) {
  Assembly c(opcode);
  c.set("tiles", tiles);
  c.set("a.start", static_cast<uint64_t>(a.start));
  set_levels(c, GeneratorFields("a"), a.levels);
  if (find_field(opcode, "b.start") != nullptr) {
    c.set("b.start", static_cast<uint64_t>(b.start));
    set_levels(c, GeneratorFields("b"), b.levels);
  }
  return c;
}

inline darwinn::Executable program(const std::vector<Assembly>& instructions) {
  darwinn::Executable e;
  darwinn::Bitstream b;
  for (const Assembly& a : instructions) {
    b.data.insert(b.data.end(), a.bytes().begin(), a.bytes().end());
  }
  e.bitstreams.push_back(std::move(b));
  return e;
}

}  // namespace edgetwin::edgetpu
