// Products of many lanes with the same four bytes: what the Edge TPU's machine does most.
#pragma once

#include "kernels/core/dot_table.h"
#include "kernels/core/isa.h"

namespace edgetwin::kernels {

// Null where the set has none of its own.
DotRowsKernel dot_rows_kernel(Isa isa);
DotWordsKernel dot_words_kernel(Isa isa);

}  // namespace edgetwin::kernels
