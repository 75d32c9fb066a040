// Parameters that are no weights: tables of softmax, and the matrices of zeros and ones by which
// values are moved.
#pragma once

#include "base/bytes.h"

namespace edgetwin::edgetpu {

// What newer compilers give to softmax in the tile engines; nothing for lengths that are multiples
// of four.
Bytes softmax_tables(int length, float input_scale);

// A line of zeros, then `count` lines that pass one value each.
Bytes selection_matrix(int count);

}  // namespace edgetwin::edgetpu
