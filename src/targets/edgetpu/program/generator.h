// The address generators of the tile engines, unrolled into the addresses that they visit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu {

enum class GeneratorKind : uint8_t {
#define GENERATOR(name, opcode, side, meaning) name,
#include "targets/edgetpu/program/generators.def"
};

struct GeneratorInfo {
  GeneratorKind kind;
  std::string_view name;
  Opcode opcode;
  std::string_view side;
  std::string_view meaning;
  // Its fields in isa.def.
  const FieldInfo *start, *step, *count, *levels, *switch_level, *switch_by, *shorter, *short_level,
      *short_by;
  size_t most_levels() const { return step->elements; }
};
const std::vector<GeneratorInfo>& all_generators();
const GeneratorInfo& info(GeneratorKind kind);

struct Generator {
  Traversal path;
  uint32_t used = 0;        // a bit for each level that the instruction says it uses
  size_t switch_level = 0;  // see isa.def
  int64_t switch_by = 0;    // 0: one buffer
  int64_t stream_by = 0;    // 0: places of their own; else the buffer's length, see streamed()
  size_t short_level = 0;
  int64_t short_count = 0;  // 0: the last pass is as long as the others

  // Whether what it visits are the passes of a buffer that another engine fills or empties.
  // Two buffers in turn, or one that is filled again and again.
  bool streamed() const { return stream_by != 0; }
  // How many places of the innermost level the pass has.
  int64_t inner(const std::array<int64_t, kLoopLevels>& index) const {
    const bool last = short_count != 0 && index[short_level] + 1 == path.level[short_level].count;
    return last ? short_count : path.level[0].count;
  }
  // Places, the short pass considered; never more than `limit` + 1.
  uint64_t count(uint64_t limit) const;
  // Places of one pass between two switches.
  uint64_t pass_places() const;
};

Generator decode_generator(const Instruction& instruction, GeneratorKind kind);

// Places of the innermost level: `count` of them from `first` on, `step` apart, of one pass. `pass`
// counts the switches.
struct PlaceRow {
  int64_t first = 0, count = 0, step = 0;
  uint32_t pass = 0;
};

// Calls visit(row) for rows that are all places, in order.
template <class Visit>
void unroll_rows(const Generator& g, Visit&& visit) {
  std::array<int64_t, kLoopLevels> index{};
  const Traversal& t = g.path;
  int64_t base = t.start;  // of the innermost level
  uint32_t pass = 0;
  const auto switched = [&] { return (pass & 1U) != 0 ? g.switch_by : 0; };
  for (;;) {
    const int64_t n = t.size == 0 ? 1 : g.inner(index);
    const int64_t step = t.size == 0 ? 0 : t.level[0].net;
    if (g.stream_by != 0 && g.switch_level == 0) {
      for (int64_t i = 0; i < n; ++i) {
        if (i != 0) ++pass;
        visit(PlaceRow{base + i * step + switched(), 1, step, pass});
      }
    } else {
      visit(PlaceRow{base + switched(), n, step, pass});
    }
    size_t k = 1;
    for (; k < t.size; ++k) {
      base += t.level[k].net;
      if (++index[k] < t.level[k].count) break;
      base -= t.level[k].net * t.level[k].count;
      index[k] = 0;
    }
    if (k >= t.size) return;
    if (g.stream_by != 0 && k >= g.switch_level) ++pass;
  }
}

// Calls visit(address, pass) for each place, in order.
template <class Visit>
void unroll(const Generator& g, Visit&& visit) {
  unroll_rows(g, [&](const PlaceRow& row) {
    for (int64_t i = 0; i < row.count; ++i) visit(row.first + i * row.step, row.pass);
  });
}

}  // namespace edgetwin::edgetpu
