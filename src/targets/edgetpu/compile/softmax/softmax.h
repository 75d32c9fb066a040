// SOFTMAX of a vector whose pieces of 64 values lie in the tiles that made them, as the vendor's
// compiler has it: each tile computes its own, tile 0 finds the largest value and the sum. Source:
// specification "heads" 1; places and lines as in three public programs of 1,001 classes.
#pragma once

#include <array>
#include <optional>

#include "targets/edgetpu/compile/templates/layers.h"

namespace edgetwin::edgetpu::compiler {

// How so many values lie in the tiles, in words of four bytes. Exponentials are numbers of 16 bits,
// two to a word.
struct TileSoftmaxShape {
  int64_t count = 0;
  int64_t words() const { return ceil_div(count, 4); }
  int64_t pairs() const { return ceil_div(count, 2); }
  bool odd() const { return count % 2 != 0; }
  int tiles() const { return static_cast<int>(ceil_div(words(), kOwnWords)); }
  uint32_t mask() const { return (1U << static_cast<uint32_t>(tiles())) - 1U; }
  int64_t first(int tile) const { return kOwnWords * tile; }
  int64_t own(int tile) const { return std::min(kOwnWords, words() - first(tile)); }
  // Whole words of exponentials that a tile has: the last number of an odd count goes alone.
  int64_t own_pairs(int tile) const { return std::min(2 * own(tile), count / 2 - 2 * first(tile)); }
  static constexpr int64_t kOwnWords = 16;
};
// Values of as many tiles as take part, whose last word is not full: all that public programs show.
bool can_be_in_tiles(int64_t count);

// What goes to channels from parameters, for four values in each line of 64 bytes: what fills the
// last word gets the least bias and the greatest scale, so that it does not count.
enum class SoftmaxTable : uint8_t {
  list,   // biases of 0, where the values become a list
  below,  // the same where the largest was taken from them
  scale,  // of a step in the exponent
  last    // the scale 1 for the last number of an odd count
};
inline constexpr size_t kSoftmaxTables = 4;
inline constexpr int64_t kTableSlots = 16;  // channels that a line has room for
// Lines of all tiles, one after the other; `multiplier`: of the step.
std::vector<uint32_t> softmax_table(SoftmaxTable which, int64_t count, float multiplier);

struct TableLines {
  std::vector<Piece> pieces;  // in order of the tiles that take them, or where they rest
  bool there = true;          // each tile has its own; else they come over the ring
};

struct TileSoftmaxSpec {
  TileSoftmaxShape shape;
  // Bytes of narrow memory: the pieces; front_bytes() until the largest is taken from them; what
  // is left then; as many bytes that an instruction names; 32 for constants; back_bytes() from the
  // exponentials on; the result's pieces.
  int64_t values = 0, front = 0, below = 0, named = 0, constants = 0, back = 0, out = 0;
  Numbers limits;  // of the values, with their zero point
  int zero = 0;
  float multiplier = 1.0F;  // of a step, in the exponent
  std::array<TableLines, kSoftmaxTables> tables{};
};
int64_t front_bytes(const TileSoftmaxShape& shape);
int64_t back_bytes(const TileSoftmaxShape& shape);

// Each is a step of a program; `last` is left out where the count is even. Counters begin anew
// after each.
enum class SoftmaxStep : uint8_t {
  to_one,
  largest,
  to_all,
  difference,
  below,
  exponentials,
  joined,
  last,
  sum,
  reciprocal,
  spread,
  product
};
inline constexpr size_t kSoftmaxSteps = 12;
// The lowest line of wide memory that it has; up to the unit matrix.
int64_t lowest_line(SoftmaxStep step);
void softmax_step(Program& p, SoftmaxStep step, const TileSoftmaxSpec& spec);

}  // namespace edgetwin::edgetpu::compiler
