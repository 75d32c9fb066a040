// A tensor instruction while it runs: its addresses, and what belongs together.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "numerics/flavour/edgetpu_common.h"
#include "numerics/flavour/edgetpu_table.h"
#include "targets/edgetpu/machine/core.h"

namespace edgetwin::edgetpu::machine {

inline constexpr int kMostLanes = 64;

// What one iteration multiplies. A line of wide memory has four bytes for each of 64 lanes, so that
// an address counts the bytes of a lane.
enum class Form : uint8_t {
  words,  // four bytes of narrow memory with the four of each lane
  pairs,  // two bytes with two numbers of 16 bits of each lane
  bytes,  // one byte with one byte of each lane
  halves_bytes,  // a number of 16 bits with one byte of each lane
  halves,        // a number of 16 bits with one of each lane
};

// Nothing: the form is not known.
std::optional<Form> form_of(const Step& step);

// One address of a traversal, and the pass it belongs to.
struct Place {
  int32_t at;
  uint32_t pass;
};
std::vector<Place> places_of(const Generator& g);

// What is written at once: words [first, first + count) of the output's places.
struct Output {
  size_t first = 0, count = 0;
};

// How the iterations make outputs: `inner` products in a row for one accumulator, `sums`
// accumulators in turn, `outer` rounds of that, then the next `sums` outputs.
struct Order {
  size_t inner = 1, sums = 1, outer = 1;
};

struct Work {
  Step& s;
  const Nest& nest;
  const Step* feeder = nullptr;  // the n2w that fills the buffer of the weights
  Form form = Form::words;
  std::vector<Place> in, weight, out;
  std::vector<Output> outputs;
  Order order;
  numerics::edgetpu::Tail<uint8_t> tail;
  numerics::edgetpu::Tail<uint16_t> wide_tail;

  bool streamed_input(size_t tile) const { return s.a.streamed() && !has_tile(s.placed, tile); }
  bool streamed_weights() const { return s.weight.streamed(); }
  size_t result_bytes() const { return s.wide_result != 0 ? 2 : 1; }
};

// passes.cc: whether the tile has all passes of the buffers that the instruction reads.
bool ready(const Work& w, size_t tile, Tile& t);
// Puts the pass that an iteration begins into memory.
void commit_input(const Work& w, Tile& t, const Place& place);
void commit_weights(const Work& w, size_t tile, Tile& t, const Place& place);
// Weight zero points of the lanes of a group; `next`: of the next group.
void zero_points(const Work& w, Tile& t, int lanes, bool next, std::array<int32_t, kMostLanes>& z);

// function.cc: a scaled sum, limited, through the table; at most `most`.
uint16_t through_table(const numerics::edgetpu::FunctionTable& table, const Step& s, int32_t sum,
                       float m, int most);

}  // namespace edgetwin::edgetpu::machine
