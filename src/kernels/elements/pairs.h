// Sums, differences and products of two operands, several elements at a time.
#pragma once

#include <optional>

#include "kernels/core/isa.h"
#include "kernels/core/pair_table.h"
#include "numerics/fixed_point.h"

namespace edgetwin::kernels {

// What the instruction set has; null where the plain loop remains.
PairKernel pair_kernel(Isa isa);

// x * m as numerics/fixed_point.h defines it, for all x of [low, high]; nothing where a shift would
// leave 32 bits. `scaled` is the power of two that x is multiplied by before.
std::optional<FixedStage> fixed_stage(numerics::QuantizedMultiplier m,
                                      numerics::Requantization rounding, int64_t low, int64_t high,
                                      int scaled = 0);

// The stage for one number, as the kernels compute it.
int32_t apply(const FixedStage& stage, int32_t x);

}  // namespace edgetwin::kernels
