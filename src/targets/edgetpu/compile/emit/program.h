// A bitstream in the making: instructions in order, the frame around them, barriers, descriptors,
// and what is counted beyond a step. docs/edgetpu-compiler.md, "Waits".
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/compile/emit/walk.h"

namespace edgetwin::edgetpu::compiler {

inline constexpr uint32_t kAllTiles = 0xFFFF;
inline constexpr uint32_t kAllEngines = 0x3FF;
inline constexpr uint32_t kTensorIdle = 0x1;
inline constexpr uint32_t kTileCounters17 = 0x1FFFF;  // all but the turns of the ring
inline constexpr uint32_t kFeedsIdle = 0xC;           // infeed and outfeed of the scalar core

// Counters that barriers leave alone: turns of the ring and those of the scalar core. Values since
// the last reset of the ring.
struct RingCounts {
  int64_t a = 0, b = 0;                     // PRODUCER_A, PRODUCER_B
  int64_t scalar_in = 0, ring_outfeed = 0;  // SCALAR_INFEED, RING_OUTFEED
};

// How a program is written where two ways give the same bytes.
enum class Style : uint8_t {
  own,       // waits that need no law from one step to the next
  vendor,    // as the vendor's newest compiler writes it, as far as its laws are known
  vendor_17  // as the one before it, whose files name the chip 17 instead of 18
};

class Program {
 public:
  explicit Program(Style style = Style::own) : style_(style), copies_(style == Style::vendor) {}
  Style style() const { return style_; }
  bool vendor() const { return style_ == Style::vendor; }
  // An engine's instruction in `tiles`, with its running number; it is added by add().
  Assembly engine(Opcode opcode, uint32_t tiles);
  void add(const Assembly& instruction);
  // The same for an instruction without tiles and number, which it gets.
  void add(Assembly instruction, uint32_t tiles);
  // An instruction as it is in one tile: in the vendor's style its waits go on from what that tile
  // has counted. add() writes as many instructions as there are of them.
  Assembly in_tile(const Assembly& instruction, int tile) const;
  // In the vendor's style what tile 0 has counted since the last barrier.
  int64_t since_barrier(TileCounter counter) const;
  // Whether some tile has counted since the last epoch.
  bool has_counted(TileCounter counter) const;

  // Waits until all engines of all tiles have done their work: what comes after it needs no wait
  // for what comes before it. Own style begins to count anew; the vendor's goes on in each tile,
  // whose waits are then moved by what it has counted.
  void barrier();
  // Counters begin anew in each tile when its engines are idle; the scalar core is not told.
  void epoch();
  // An epoch began and nothing was added since.
  bool after_epoch() const { return last_ == Last::epoch; }
  // The scalar core waits until all engines of all tiles are idle; `set`: counters that begin anew.
  void fence(uint32_t set = 0);
  // The same inside of each tile: nothing is told to the scalar core, counters stay.
  void settle();
  void tile_sync(uint32_t set, uint32_t idle, bool tell, uint32_t unknown = 0,
                 uint32_t tiles = kAllTiles);
  // Two counters of an engine get `value` in the tiles that have counted less. `idle`: the engine.
  void even_out(uint32_t set, uint32_t idle, int64_t value, uint32_t tiles);
  void sync(uint32_t set, uint32_t value, bool fence, uint32_t idle);
  // Ring turns begin at zero again, in own style what the scalar core counts, too. `all`: and all
  // other counters of the tiles.
  void reset_ring(bool all = false);
  // Until as many turns are done; `set`: counters of the scalar core that begin anew then.
  void await_ring(uint32_t set = 0);

  // A counter has so many turns that the next step may not have room in its 16 bits.
  bool many_turns() const;

  // Registers of the scalar core, and what it comes by again: from begin_loop(), which gives the
  // place, to end_loop(), while the register is below `end`. In between the ring has a turn.
  void set_register(unsigned index, uint32_t value) { move(index, value); }
  void advance(unsigned index, uint32_t by);
  size_t begin_loop();
  void end_loop(size_t begin, unsigned index, uint32_t end);

  void begin();             // of a program for inferences
  void begin_parameters();  // of one that loads parameters
  void end(bool parameters);
  // One transfer from or to the host. `name`: of the buffer, empty for parameters.
  void descriptor(darwinn::BaseAddress base, const std::string& name, int64_t bytes, uint32_t tag);
  // The same in its parts, between which the vendor's compiler puts other instructions.
  void descriptor_address(darwinn::BaseAddress base, const std::string& name);
  void descriptor_copy();
  void descriptor_copy_from(int64_t offset);  // so many bytes after the address
  void descriptor_issue(int64_t bytes, uint32_t tag);
  // As descriptor_address() and descriptor_copy(), from byte `offset` of the scratch memory of the
  // host on.
  void scratch_address(int64_t offset);
  void scratch_copy();
  // The `held` words of the scalar core's memory to the host, to the address of the descriptor at
  // hand. `more`: whole units of 32 bytes; the address goes on after them, and the rest goes to the
  // beginning of the memory.
  void give_memory(int64_t held, uint32_t tag, bool more);
  // Of these; measured on two public programs.
  static int64_t words_given(int64_t held, bool more) { return more ? held / 8 * 8 : held; }

  // Parameters from byte `offset` on come from the host; take_stream() gives them to tiles, piece
  // after piece. Behind a barrier.
  void stream(int64_t offset, int64_t bytes);
  void take_stream(uint32_t tiles, int64_t bytes, int64_t lanes);
  int64_t streamed_bytes() const;  // that were taken

  // Wide memory from this line on has nothing that is kept from one step to the next.
  void set_room(int64_t first) { room_ = first; }
  // From the first line on that no constant has yet.
  int64_t room() const { return kept_end_ == room_ ? kept_next_ : room_; }
  // Constants that stay in wide memory from the first step that needs them on, in so many lines.
  void set_kept(int64_t first, int64_t lines) { kept_next_ = first, kept_end_ = first + lines; }
  struct Kept {
    int64_t line = -1;   // where they are, or go; -1: nowhere, there is no room
    bool there = false;  // they were written before
  };
  Kept keep(const std::vector<uint32_t>& words, int64_t lines);
  // A line that is kept begins with these words.
  void keeps(const std::vector<uint32_t>& words, int64_t line) { kept_.emplace(words, line); }
  // In the vendor's style the unit matrix is written once and kept in this line; -1: not at the
  // step at hand.
  void set_matrix_line(int64_t line) { matrix_line_ = line; }
  int64_t matrix_line() const { return matrix_line_; }
  bool has_matrix() const { return matrix_made_; }
  bool takes_matrix() { return std::exchange(matrix_made_, true); }  // it was there before
  // Lines of the step at hand lie so many lower than its template has them.
  void set_lowered(int64_t lines) { lowered_ = lines; }
  int64_t line(int64_t of_template) const { return of_template - lowered_; }
  // Two lines by which outputs leave.
  void set_output_line(int64_t line) { output_line_ = line; }
  int64_t output_line() const { return output_line_; }

  RingCounts ring;
  // The bitstream, with its length in the first instruction.
  darwinn::Bitstream finish();
  size_t bytes() const { return stream_.data.size(); }

 private:
  static constexpr unsigned kHighAddress = 10,
                            kLowAddress = 11;  // registers: of an input, of an output
  void word(Opcode opcode);
  void move(unsigned to, uint32_t value);  // register = number
  void copy(unsigned to, unsigned from);   // register = register
  void address(unsigned to, darwinn::BaseAddress base, darwinn::Position half,
               const std::string& name);
  struct AddressPair {  // registers with its halves
    unsigned low = 0, high = 0;
  };
  void add_to_address(AddressPair from, AddressPair to, unsigned other, uint32_t number);
  void issue(AddressPair from, int64_t bytes, uint32_t tag);
  void write(const Assembly& instruction);
  void count(const Assembly& instruction);
  bool near_end() const;

  static constexpr size_t kCounted = 17;  // all counters of a tile but the turns of the ring
  using Counts = std::array<int64_t, kCounted>;
  enum class Last : uint8_t { other, begin, epoch };
  Style style_;
  bool copies_;            // an address is copied before it goes into a descriptor
  AddressPair address_{};  // of the descriptor at hand
  Last last_ = Last::other;
  std::array<Counts, 16> counted_{};  // by tile, since the last epoch
  std::array<Counts, 16> base_{};     // at the last barrier
  unsigned free_ = 4;                 // first of the six registers that a descriptor takes
  darwinn::Bitstream stream_;
  uint64_t operations_ = 0;
  int64_t room_ = 1 << 20;  // none
  int64_t kept_next_ = 0, kept_end_ = 0;
  std::map<std::vector<uint32_t>, int64_t> kept_;
  int64_t output_line_ = 2078;
  int64_t matrix_line_ = -1, lowered_ = 0;
  bool matrix_made_ = false;
  int64_t streamed_ = 0;  // units of the stream that were taken
};

}  // namespace edgetwin::edgetpu::compiler
