// Which words of a tile a resize reads: its traversal names the first four taps alone, other
// numbers of the instruction say how it goes on.
#pragma once

#include <vector>

#include "targets/edgetpu/program/program.h"

namespace edgetwin::edgetpu {

// Columns or rows, in parts of a pixel.
struct ResizeAxis {
  static constexpr int64_t kParts = 128;
  int64_t start = 0, step = 0;  // of the first output after the first line read; to the next one
  int64_t outputs = 0;          // of this tile
  int64_t pitch = 0;            // bytes from line to line
  int64_t lines() const { return (start + step * (outputs - 1) + kParts - 1) / kParts + 1; }
};

struct ResizeWalk {
  ResizeAxis rows, columns;
  int64_t start = 0;  // bytes
  int64_t words = 0;  // of a pixel
  // Of all lines that have a weight, ascending: row after row, the words of a pixel together.
  // Empty: they do not lie so, or are too many.
  std::vector<int64_t> places() const;
};

ResizeWalk resize_walk(const Instruction& instruction, const Nest& nest);

}  // namespace edgetwin::edgetpu
