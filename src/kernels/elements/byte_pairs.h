// Sums, differences and products of bytes by less arithmetic than their definition has: found and
// proven by trying all pairs of bytes.
#pragma once

#include <optional>

#include "kernels/core/isa.h"
#include "kernels/core/pair_table.h"

namespace edgetwin::kernels {

// Null where the set has none.
BytePairKernel byte_pair_kernel(Isa isa);

// Bytes, in a form that may have a shorter way.
bool has_shorter_way(const PairConstants& constants);

// Constants with which `kernel` gives, for all 65,536 pairs of bytes, what `exact` gives with
// `constants`; nothing where none are found, or where `exact` counts ties of any pair. It takes
// about as long as 100,000 elements with `exact` do.
std::optional<BytePairs> byte_pairs(const PairConstants& constants, PairKernel exact,
                                    BytePairKernel kernel);

}  // namespace edgetwin::kernels
