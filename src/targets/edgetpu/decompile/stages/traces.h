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
  std::vector<int32_t> in;  // nodes
};
// A fetch whose tile and address the scalar core sets at each step of a loop: what stands in each
// tile from its own address on.
struct LoopFetch {
  size_t step = 0;
  size_t words = 0;  // at each step of the loop
  std::array<std::vector<int32_t>, 16> nodes;
};
struct Traces {
  std::vector<TraceNode> nodes;
  std::vector<TracedPixel> pixels;
  std::vector<LoopFetch> loop_fetches;
};

}  // namespace edgetwin::edgetpu
