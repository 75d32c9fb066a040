// Windows over bytes.
#pragma once

#include "kernels/core/isa.h"
#include "kernels/core/pool_table.h"

namespace edgetwin::kernels {

// Null for Isa::plain; the loops as they are where the set has none of its own.
const PoolTable* pool_table(Isa isa);

}  // namespace edgetwin::kernels
