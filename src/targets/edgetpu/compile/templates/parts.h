// What the templates share: masks of tiles that can have one instruction, the numbers of a tensor
// instruction, and steps that move data. Each template begins and ends behind a barrier
// (Program::barrier), so that its waits count from zero.
#pragma once

#include <functional>
#include <vector>

#include "targets/edgetpu/compile/emit/program.h"
#include "targets/edgetpu/compile/place/map.h"

namespace edgetwin::edgetpu::compiler {

inline constexpr int64_t kWideTop = 2080;  // lines of wide memory in each tile
inline constexpr int64_t kLineWords = 64;

// Numbers of a tensor instruction.
struct Numbers {
  float multiplier = 1.0F, low = 0.0F, high = 0.0F;
  int32_t constant = 0;
  int weight_zero = 0, input_zero = 0, output_zero = 0;
  bool has_scale = false, has_bias = false, has_zero = false;
  bool function = false;
  int wide = 0;  // 2: results of 16 bits, 3: such through the table of inverse roots
  int items() const { return int{has_scale} + int{has_bias} + int{has_zero}; }
};
Numbers copy_numbers();   // multiplier 1, no limits
Numbers below_largest();  // of a softmax: what bytes are less than 255, the largest

// Bits 1922 to 1933 of tensor instructions: nobody knows what they say; they are as programs of the
// vendor have them in each role. Of those with weights weighted() has them.
enum class Role : uint16_t {
  copy = 0x000,
  product = 0x002,
  selection = 0x004,
  square = 0x008,
  dense = 0x012,
  expand = 0x016,
  reduction = 0x032,
  states = 0x034,  // two operands inside of a recurrent layer
  two_operands = 0x038,
  resize = 0x03A,
};
// `level`: of the loop nest whose passes take other numbers. `summed`: 0 where one level sums up an
// output, 1 where two do, 2 where sums wait in between. All 1,887 of public programs have it so.
constexpr Role weighted(unsigned level, unsigned summed) {
  return static_cast<Role>(0x10U | summed << 5 | level << 1);
}

// The loop nest and its traversals.
struct TensorSpec {
  Opcode opcode = Opcode::tensor;
  uint32_t kind = 0;
  std::vector<int64_t> loop;
  Walk in, out, weight, acc;
  unsigned avdata_level = 0;
  bool counts_parameters = false;
  unsigned parameters_level = 0;
  std::vector<Wait> waits;
  int64_t lanes = 4, last_lanes = 0;  // `last_lanes`: of the last group; 0: as many
  Role role = Role::copy;
  int64_t zero_line = 0, zero_by = 0, zero_end = 0;  // channels' weight zero points
};
// Sums of four channels, chosen by a matrix of 0 and 1 in `line` of wide memory: of `words` words
// in each of `columns` x `rows` positions. `in` and `out` are the caller's.
TensorSpec selection_of(int64_t words, int64_t columns, int64_t rows, int64_t line);
// Bytes of so many words become numbers of 16 bits, two to a word, by the unit matrix at `line`.
TensorSpec widening_of(int64_t from, int64_t to, int64_t words, int64_t line);

// Without tiles and running number: Program::add(instruction, tiles) gives both.
Assembly tensor(const TensorSpec& spec, const Numbers& numbers);

// Nothing waits for it by AVDATA.
Assembly without_count(Assembly tensor);
// The last pass of its outer loop has so many turns of its innermost one; 0: as many as all.
Assembly with_last(Assembly tensor, int64_t turns);

// One instruction for all tiles for which `make` gives the same bytes, in the order of their first
// tiles. `make` gets row and column; nothing: the tile has no part in it. Tiles of other `kinds`
// have instructions of their own.
void add_by_tiles(Program& p, const std::function<std::optional<Assembly>(int r, int c)>& make,
                  const std::function<int(int r, int c)>& kind = {});

// The first that has a coarse form of some public program; the first of all where none has.
bool is_known(const Assembly& instruction);
Assembly first_known(const std::vector<Assembly>& candidates);

// Words of narrow memory filled with a pattern, in all tiles. `counted`: as one that came.
void fill(Program& p, Opcode move, uint32_t tiles, const Walk& words, uint32_t pattern,
          bool counted = false);

// The unit matrix of four bytes in a line of wide memory, by which words are copied and bytes
// chosen; with another number instead of 1, and where the zero point of weights is not 0 that
// instead of 0. `scratch`: kMatrixWords of narrow memory, in words. Gives the line: another one
// where the program keeps its constants, and then nothing is written that is there already.
inline constexpr int64_t kMatrixWords = 4;
int64_t unit_matrix(Program& p, int64_t scratch, int64_t line, int one = 1, int zero = 0);
std::vector<uint32_t> matrix_words(int one = 1, int zero = 0);
// The same in its two parts, between which other instructions may stand and all must settle.
void fill_matrix(Program& p, int64_t scratch, const std::vector<uint32_t>& words = matrix_words());
void store_matrix(Program& p, int64_t scratch, int64_t line);
// The same ordered by counters, as where the vendor's compiler begins a step with it: S_IN and
// NARROW_TO_WIDE count one.
void word_matrix(Program& p, int64_t scratch, int64_t line);

// Words that stream through two buffers of wide memory to a tensor instruction, which reads them as
// weights: the instruction that brings them, and what the other one waits for. `level`: whose turns
// of side B are counted. Behind a barrier.
void stream_weights(Program& p, const Walk& from, const Walk& to, unsigned level, unsigned layout,
                    unsigned flush);
void follow_stream(TensorSpec& spec);
// One level of places, and after it levels of one turn each, `whole` bytes apart.
Walk from_here(int64_t start, Dim first, int64_t whole, size_t levels);
// Words in lines of wide memory, four in each, by way of as many words of narrow memory from byte
// `scratch` on. Begins and ends settled; `counted`: what is filled is waited for by its counters,
// and NARROW_TO_WIDE counts the lines as one.
void write_lines(Program& p, const std::vector<uint32_t>& words, int64_t scratch, int64_t line,
                 bool counted = false);

// `words` words of one tile to others, by the ring: box `from` of the source to box `to`, both in
// words. Counts of this step are kept in `counts`.
struct TransferCounts {
  int64_t received_lines = 0;      // READ_A of the receivers
  int64_t received_words = 0;      // WIDE_TO_NARROW
  int64_t last_words = 0;          // of the last line
  std::array<int64_t, 16> sent{};  // lines that each tile sent: RING_WRITE, NARROW_TO_WIDE
  // Receivers take every line for a whole one, as the vendor's compiler does: with shorter ones
  // that is too early by the counters alone (docs/edgetpu-sync.md).
  bool whole_lines = false;
};
void transfer(Program& p, int source, uint32_t destination, const Walk& from, const Walk& to,
              TransferCounts& counts);

// Several of them in one step.
struct Transfer {
  int source = 0;
  uint32_t destination = 0;
  Walk from, to;
  size_t part = 0;  // of several that are stored one after the other
};
void transfers(Program& p, const std::vector<Transfer>& all, bool whole_lines = false);
// Wide memory has room for the lines of all of them.
bool all_kept(const Program& p, const std::vector<Transfer>& all);
inline constexpr int64_t kRoomEnd = 2040;  // lines from here on may be kept from step to step

// Some words of each block of 64 channels.
struct BlockTurn {
  int64_t first = 0, words = 16;
};

}  // namespace edgetwin::edgetpu::compiler
