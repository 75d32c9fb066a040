// Between real numbers and integers for AVX2.
#define EDGETWIN_ISA_NAMESPACE avx2
#include "kernels/core/affine_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const AffineTable* avx2_affine() { return &avx2::kAffineTable; }

}  // namespace edgetwin::kernels
