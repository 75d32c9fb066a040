// A tensor instruction while it runs: its addresses, and what belongs together.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "numerics/edgetpu/common.h"
#include "numerics/edgetpu/table.h"
#include "targets/edgetpu/machine/engines/core.h"
#include "targets/edgetpu/machine/lanes/dot.h"

namespace edgetwin::edgetpu::machine {

inline constexpr int kMostLanes = 64;

// What one iteration multiplies; see forms.def. A line of wide memory has four bytes for each of 64
// lanes, so that an address counts the bytes of a lane.
struct Form {
  int input = 1, weight = 1;  // bytes of a number
  int products = 4;           // of numbers side by side

  // Zero points of their own for each lane.
  bool words() const { return input == 1 && weight == 1 && products == 4; }
};

// Nothing: the form is not known.
std::optional<Form> form_of(const Step& step);

// One address of a traversal, and the pass it belongs to.
struct Address {
  int32_t at;
  uint32_t pass;
};
std::vector<Address> addresses_of(const Generator& g);

// What is written at once: words [first, first + count) of the output's places.
struct OutputGroup {
  uint32_t first = 0, count = 0;
};

// How the iterations make outputs: `inner` products in a row for one accumulator, `sums`
// accumulators in turn, `outer` rounds of that, then the next `sums` outputs.
struct AccumulationOrder {
  size_t inner = 1, sums = 1, outer = 1;
};

// Rows of iterations that multiply the same places, counted from where each row begins.
struct Rows {
  size_t length = 0;                // iterations of a row
  std::vector<Address> in, weight;  // where rows begin
  // Bytes of narrow memory, and quarters of a line, from there on: one for each iteration.
  std::vector<int32_t> in_by, weight_by;
  int32_t lowest = 0, highest = 0;  // of `in_by`
  // Ends of runs of rows with the same lines, passes and number of words.
  std::vector<size_t> alike;
  bool outputs_together = false;  // the words of an output are neighbours
  bool writes_inputs = false;     // results may lie where other iterations read
};

struct TensorIteration {
  Step& s;
  const Nest& nest;
  const std::vector<Step>& list;
  Form form;
  Dot dot = nullptr;
  size_t iterations = 0;
  // Of each iteration: empty where `rows` has them.
  std::vector<Address> in{}, weight{};
  std::optional<Rows> rows{};
  std::vector<Address> out{};
  std::vector<OutputGroup> outputs{};
  std::vector<Address>
      left{};  // accumulators in wide memory, where the instruction leaves its sums
  AccumulationOrder order{};
  numerics::edgetpu::Tail<uint8_t> tail{};
  numerics::edgetpu::Tail<uint16_t> wide_tail{};
  bool makes_bytes = false;  // by bytes_of_sums()

  bool reads() const { return !(rows ? rows->in : in).empty(); }
  // Of iteration `n`, however they are kept.
  Address input_of(size_t n) const {
    return rows ? moved(rows->in[n / rows->length], rows->in_by[n % rows->length]) : in[n];
  }
  Address weight_of(size_t n) const {
    return rows ? moved(rows->weight[n / rows->length], rows->weight_by[n % rows->length])
                : weight[n];
  }
  static Address moved(const Address& from, int32_t by) { return {from.at + by, from.pass}; }
  uint32_t last_input_pass() const { return (rows ? rows->in : in).back().pass; }
  uint32_t last_weight_pass() const { return (rows ? rows->weight : weight).back().pass; }
  bool streamed_input(size_t tile) const { return s.a.streamed() && !has_tile(s.placed, tile); }
  bool streamed_weights() const { return s.weight.streamed(); }
  // The n2w that fills the buffer of the weights; null: the ring does.
  const Step* feeder(size_t tile) const {
    return s.feeders.empty() || s.feeders[tile] == kNone ? nullptr : &list[s.feeders[tile]];
  }
};

// tensor.cc: an instruction with its addresses and the order of its sums; `by_rows`: as rows where
// it has such. Errors: chip_unknown, chip_limit, chip_address.
Result<TensorIteration> iteration_of(Core& core, Step& s, bool by_rows = false);
// One iteration: what is in narrow memory from byte `in` on, times what a line of wide memory has.
void product(const TensorIteration& w, const Tile& t, int64_t in, int64_t weight, int lanes,
             const std::array<int32_t, kMostLanes>& zero, int32_t* sums);
void leave(const Address& place, const int32_t* sums, int lanes, Tile& t);

// row_walk.cc: its iterations as rows; nothing: they are to be computed one after the other.
std::optional<Rows> rows_of(const TensorIteration& w);
bool within_lanes(const TensorIteration& w, const Rows& rows);
// rows.cc: the whole instruction in one tile, by its rows.
void run_rows(const TensorIteration& w, size_t tile, Tile& t);

// resize.cc: errors: chip_unknown, chip_address, chip_limit.
Status check_resize(Core& core, const Step& s);
// Words [first, end) of the output of a resize that was checked; `read`, where it is given, is told
// the bytes where the pixels begin that are mixed.
void resize_words(const Step& s, Tile& t, uint64_t first, uint64_t end,
                  const std::function<void(int64_t)>& read = {});
// function.cc: what a `table` instruction leaves in a tile.
void load_table(const Step& s, Tile& t);

// passes.cc: whether the tile has all passes of the buffers that the instruction reads.
bool ready(const TensorIteration& w, size_t tile, Tile& t);
// Puts the pass that an iteration begins into memory.
void commit_input(const TensorIteration& w, Tile& t, const Address& place);
void commit_weights(const TensorIteration& w, size_t tile, Tile& t, const Address& place);
// Weight zero points of the lanes of a group; `next`: of the next group.
void zero_points(const TensorIteration& w, Tile& t, int lanes, bool next,
                 std::array<int32_t, kMostLanes>& z);

// finish.cc: sums become numbers of 8 or 16 bits in narrow memory.
void start_sums(const TensorIteration& w, const Tile& t, size_t output, int lanes, int32_t* sums);
void multipliers_of(const TensorIteration& w, const Tile& t, size_t output, int lanes,
                    std::array<float, kMostLanes>& m);
void finish(const TensorIteration& w, Tile& t, size_t output, const int32_t* sums, int lanes);

// function.cc: a scaled sum, limited, through the table; a number from 0 to `most`.
int32_t through_table(const numerics::edgetpu::FunctionTable& table, const Step& s, int32_t sum,
                      float m, int32_t most);
// The same for a table of 1 / sqrt(x), which knows only arguments from 1 up to 4.
int32_t through_root_table(const numerics::edgetpu::FunctionTable& table, const Nest& n,
                           int32_t sum, float m, int32_t most);

}  // namespace edgetwin::edgetpu::machine
