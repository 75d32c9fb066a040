// Rows of bytes, and LOGISTIC and TANH of 16 bits.
#pragma once

#include "kernels/core/isa.h"
#include "kernels/core/row_table.h"

namespace edgetwin::kernels {

// Null for Isa::plain; the loops as they are where the set has none of its own.
const RowTable* row_table(Isa isa);

}  // namespace edgetwin::kernels
