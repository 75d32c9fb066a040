// Address generators as a compiler thinks of them: a list of (net stride, count), innermost first.
// What an instruction holds follows from it (docs/edgetpu-compiler.md, "Traversals").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "targets/edgetpu/isa/counters.h"
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu::compiler {

struct Dim {
  int64_t stride = 0, count = 1;
  bool operator==(const Dim&) const = default;
};
using Dims = std::vector<Dim>;

struct Walk {
  int64_t start = 0;
  Dims dims{};  // levels that are declared; those of count 1 show in the instruction, too
  unsigned switch_level = 0;
  int64_t switch_by = 0;  // distance of two buffers that take turns; 0: one
  // In the last pass of `short_level` the innermost level has `shorter` places; 0: every pass is
  // full. `short_by` is what is missing, in the unit of the address.
  int64_t shorter = 0;
  unsigned short_level = 0;
  int64_t short_by = 0;
  std::optional<uint64_t> levels{};  // where the bits are not those of the strides

  Walk switched(unsigned level, int64_t by) const {
    Walk w = *this;
    w.switch_level = level;
    w.switch_by = by;
    return w;
  }
  Walk shortened(int64_t places, unsigned level, int64_t by) const {
    Walk w = *this;
    w.shorter = places;
    w.short_level = level;
    w.short_by = by;
    return w;
  }
};

// Neighbouring levels whose second stride goes on where the first one ends become one.
Dims fused(const Dims& dims);
// Levels of count 1 left out, but for the first `keep`.
Dims without_ones(const Dims& dims, size_t keep = 0);
int64_t places(const Dims& dims);

constexpr int64_t ceil_div(int64_t x, int64_t by) { return (x + by - 1) / by; }

// `n` places of a stream whose two buffers have `chunk` places each, from place `start` on.
Walk stream_walk(int64_t start, int64_t n, int64_t chunk);

// Bits that are 1 in every instruction, whatever they mean: of param one, of outfeed six.
inline constexpr size_t kParamAlwaysBit = 392, kOutfeedAlwaysBits = 222;

// Pass n of `level` begins when counter >= start + n * step.
struct Wait {
  CounterId counter;
  unsigned level = 0;
  int64_t start = 0, step = 1;
  unsigned side = 0;
};

void put(Assembly& a, const GeneratorFields& side, const Walk& walk);
// The waits of an engine of the tiles; `sides`: it has the field that names the side.
void put_waits(Assembly& a, const std::vector<Wait>& waits, bool sides);

inline constexpr GeneratorFields kSideA("a"), kSideB("b"), kIn("in"), kOut("out"),
    kWeight("weight"), kAcc("acc");

}  // namespace edgetwin::edgetpu::compiler
