// How the machine runs, and what a hook of it sees.
#pragma once

#include <cstdint>
#include <functional>

namespace edgetwin::max78 {

// How the machine treats what documents leave open.
struct MachineOptions {
  uint64_t step_limit = 400'000'000;  // pixels read or written by layers, words through a FIFO
  uint64_t multiply_limit = 200'000'000'000;  // products summed, altogether
  // Halves in average pooling that rounds: the vendor's loader goes away from zero, its documents
  // say up. What the silicon does with negative halves is not known.
  enum class Ties : uint8_t { away_from_zero, up };
  Ties average_ties = Ties::away_from_zero;
  // Whether a jump to another layer is taken while conditional execution (snoop) is on. The
  // comparison that decides it on the chip is not modelled.
  bool snoop_jumps = true;
  // What a read of data memory that was never written gives.
  uint32_t fill = 0;
  bool find_dead_results = true;  // note words that are overwritten before anybody read them
  bool keep_sums = false;         // for accumulator(): 10 MB, and some time
};

// What happens, one call each, in the order of the hardware. The hook must not change the machine.
struct MachineStep {
  enum class Kind : uint8_t { layer_begins, layer_ends, write };
  Kind kind = Kind::write;
  int layer = 0;
  uint64_t step = 0;
  uint32_t address = 0;  // write: of the word in data memory
  uint32_t value = 0;    // write: the word as it is then
};
using MachineHook = std::function<void(const MachineStep&)>;

}  // namespace edgetwin::max78
