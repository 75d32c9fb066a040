// The window of a MAX_POOL_2D that pairs of sums make: what lies 1, 2, 4 ... places apart joins
// what is the greatest already, first along the columns, then along the rows.
#pragma once

#include <optional>
#include <vector>

#include "targets/edgetpu/decompile/sizes/sizes.h"

namespace edgetwin::edgetpu {

// What a sum of a pair computes in a tile.
struct PairPositions {
  int64_t columns = 0, rows = 0, words = 0;
};
// Nothing: it is no pair.
std::optional<PairPositions> pair_positions(const Nest& nest);

// A window of pairs; bytes from one position of the picture to the next.
struct PairWindow {
  int kernel_h = 1, kernel_w = 1;
  int stride_h = 0, stride_w = 1;  // 0: nothing tells it
  int64_t pixel = 0;
};
// `differences`: the first sum of each pair, in order; their operands are the two places of a
// picture of the size `in`. All ways to read them: alone they do not tell columns from rows. Empty:
// they make no window.
std::vector<PairWindow> pair_windows(const std::vector<const DecompiledLayer*>& differences,
                                     const Extent2D& in);

// Fills
// window, strides, padding and size of `pool`, whose `in` is known and whose instructions are those
// of the last sum; else its `problem`. Where the pool's `seen` has a window, it is that one.
void size_greatest(DecompiledLayer& pool, const std::vector<const DecompiledLayer*>& differences,
                   const SizeContext& context);

}  // namespace edgetwin::edgetpu
