// Elements of ESP-DL: sums, products, changes of exponent.
#pragma once

#include "kernels/core/isa.h"
#include "kernels/core/power_table.h"

namespace edgetwin::kernels {

// Null for Isa::plain; the loops as they are where the set has none of its own.
const PowerTable* power_table(Isa isa);

}  // namespace edgetwin::kernels
