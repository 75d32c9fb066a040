// A bitstream in the making: instructions in order, the frame around them, barriers, descriptors,
// and what is counted beyond a step. docs/edgetpu-compiler.md, "Waits".
#pragma once

#include <string>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/compile/emit/walk.h"

namespace edgetwin::edgetpu::compiler {

inline constexpr uint32_t kAllTiles = 0xFFFF;
inline constexpr uint32_t kAllEngines = 0x3FF;

// Counters that barriers leave alone: turns of the ring and those of the scalar core. Values since
// the last reset of the ring.
struct RingCounts {
  int64_t a = 0, b = 0;                     // PRODUCER_A, PRODUCER_B
  int64_t scalar_in = 0, ring_outfeed = 0;  // SCALAR_INFEED, RING_OUTFEED
};

class Program {
 public:
  // An engine's instruction in `tiles`, with its running number; it is added by add().
  Assembly engine(Opcode opcode, uint32_t tiles);
  void add(const Assembly& instruction);
  // The same for an instruction without tiles and number, which it gets.
  void add(Assembly instruction, uint32_t tiles);

  // Waits until all engines of all tiles have done their work and begins to count anew: what comes
  // after it needs no wait for what comes before it.
  void barrier();
  // The same inside of each tile: nothing is told to the scalar core, counters stay.
  void settle();
  void tile_sync(uint32_t set, uint32_t idle, bool tell, uint32_t unknown = 0);
  void sync(uint32_t set, uint32_t value, bool fence, uint32_t idle);
  // Ring turns and what the scalar core counts begin at zero again.
  void reset_ring();

  void begin();             // of a program for inferences
  void begin_parameters();  // of one that loads parameters
  void end(bool parameters);
  // One transfer from or to the host. `name`: of the buffer, empty for parameters.
  void descriptor(darwinn::BaseAddress base, const std::string& name, int64_t bytes, uint32_t tag);

  // Parameters from byte `offset` on come from the host; take_stream() gives them to tiles, piece
  // after piece. Behind a barrier.
  void stream(int64_t offset, int64_t bytes);
  void take_stream(uint32_t tiles, int64_t bytes, int64_t lanes);

  RingCounts ring;
  // The bitstream, with its length in the first instruction.
  darwinn::Bitstream finish();
  size_t bytes() const { return stream_.data.size(); }

 private:
  void word(Opcode opcode);
  void move(unsigned to, uint32_t value);  // register = number
  void copy(unsigned to, unsigned from);   // register = register
  void address(unsigned to, darwinn::BaseAddress base, darwinn::Position half,
               const std::string& name);
  void issue(int64_t bytes, uint32_t tag);

  darwinn::Bitstream stream_;
  uint64_t operations_ = 0;
  int64_t streamed_ = 0;  // units of the stream that were taken
};

}  // namespace edgetwin::edgetpu::compiler
