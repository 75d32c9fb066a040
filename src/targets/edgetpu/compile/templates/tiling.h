// How a weighted layer goes through a tile: input channels in pieces, buffers, lines of wide
// memory. docs/edgetpu-compiler.md, "Convolutions".
#pragma once

#include <cstdint>
#include <vector>

#include "targets/edgetpu/params/block.h"

namespace edgetwin::edgetpu::compiler {

struct Tiling {
  bool depthwise = false;
  int64_t words = 1;      // W: of the input's channels
  int64_t taps = 1;       // T
  int64_t groups = 1;     // of 64 output channels; of depthwise layers of 4
  int64_t positions = 1;  // P of the tile that has most
  int64_t header = 0;     // items
  int64_t inner = 1;      // c: words in a row
  bool finished = true;   // an output is finished in one go
  bool two = true;        // buffers of weights
  // The vendor's style: partial sums of one position have a line, too, and zero points of one
  // buffer the distance of one line.
  bool one_sum = false;
  int64_t top = 0;  // first line above all buffers
  int64_t weight_line = 0, header_line = 0, sums_line = 0, lowest_line = 0;

  int64_t lines() const { return inner * taps; }  // of one pass of the weights
  int64_t outer() const { return depthwise ? 1 : words / inner; }
  int64_t buffers() const { return two ? 2 : 1; }
  // Lines of a block of 64 outputs, header counted.
  int64_t block_lines() const { return words * taps + header; }
  bool fits() const { return lowest_line >= 0; }
  void shift(int64_t lines);  // all buffers
  void fit(int64_t sums);     // another number of positions, in the same way
};

// By the law; where that does not fit wide memory, by the other way. `top`: first line above.
Tiling tiling_of(Tiling shape, int64_t top);
// All other ways that fit: the one that the law does not take first, then pieces of other sizes and
// other numbers of buffers.
std::vector<Tiling> other_tilings(const Tiling& law, int64_t top);

// The order of lines in the parameters that goes with it.
void set_order(const Tiling& tiling, BlockShape& shape);

}  // namespace edgetwin::edgetpu::compiler
