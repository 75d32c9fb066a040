// Resizing between pixels, a row of them at a time.
#pragma once

#include "kernels/core/isa.h"
#include "kernels/core/resize_table.h"

namespace edgetwin::kernels {

// Null for Isa::plain; the loops as they are where the set has none of its own.
const ResizeTable* resize_table(Isa isa);

}  // namespace edgetwin::kernels
