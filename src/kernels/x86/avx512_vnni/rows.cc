// Rows of bytes for AVX-512.
#define EDGETWIN_ISA_NAMESPACE avx512_vnni
#include "kernels/core/row_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const RowTable* avx512_rows() { return &avx512_vnni::kRowTable; }

}  // namespace edgetwin::kernels
