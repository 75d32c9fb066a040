// The window of a MAX_POOL_2D that pairs of sums make: what lies 1, 2, 4 ... places apart joins
// what is the greatest already, first along the columns, then along the rows.
#pragma once

#include "targets/edgetpu/decompile/sizes/sizes.h"

namespace edgetwin::edgetpu {

// `differences`: the first sum of each pair, in order; their operands are the two places of `in`.
bool pairs_make_window(const std::vector<const DecompiledLayer*>& differences, const Extent2D& in);

// Fills
// window, strides, padding and size of `pool`, whose `in` is known and whose instructions are those
// of the last sum; else its `problem`.
void size_greatest(DecompiledLayer& pool, const std::vector<const DecompiledLayer*>& differences,
                   const SizeContext& context);

}  // namespace edgetwin::edgetpu
