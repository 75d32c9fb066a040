// Traces: words of an input followed through matrices that only move bytes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace edgetwin::edgetpu {

// A word as one that came from outside, or as one that a matrix made of others: single bytes can
// be followed through matrices of zeros and ones.
struct TraceNode {
  int32_t from = -1;  // -1 - number of the request that brought it; else index into pixels
  int32_t word = 0;   // of what was requested, or of the pixel that was made
};
struct TracedPixel {
  size_t stage = 0;
  std::vector<int32_t> in;    // nodes; none: a gate's function made it, or a loop left it
  size_t tile = 0;            // that computed it, of a gate
  bool left_by_loop = false;  // words of all rows of Traces::left_rows
};
// A fetch whose tile and address the scalar core sets at each step of a loop: what stands in each
// tile from its own address on.
struct LoopFetch {
  size_t step = 0;
  size_t words = 0;  // at each step of the loop
  std::array<std::vector<int32_t>, 16> nodes;
};
// Rows in the low words of these tiles, the result of each pass of a loop after that of the one
// before.
struct MovedRows {
  uint32_t tiles = 0;
  int64_t first = 0, row = 0;  // words
  int64_t rows = 0;
  size_t stage = 0;  // that makes the last one
};
struct Traces {
  std::vector<TraceNode> nodes;
  std::vector<TracedPixel> pixels;
  std::vector<LoopFetch> loop_fetches;
  std::vector<MovedRows> left_rows;
};

}  // namespace edgetwin::edgetpu
