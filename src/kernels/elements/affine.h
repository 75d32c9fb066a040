// Between real numbers and integers.
#pragma once

#include "kernels/core/affine_table.h"
#include "kernels/core/isa.h"

namespace edgetwin::kernels {

// Null for Isa::plain; the loops as they are where the set has none of its own.
const AffineTable* affine_table(Isa isa);

}  // namespace edgetwin::kernels
