// Rows of bytes for AVX2.
#define EDGETWIN_ISA_NAMESPACE avx2
#include "kernels/core/row_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const RowTable* avx2_rows() { return &avx2::kRowTable; }

}  // namespace edgetwin::kernels
