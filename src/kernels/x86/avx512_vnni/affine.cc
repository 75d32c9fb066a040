// Between real numbers and integers for AVX-512.
#define EDGETWIN_ISA_NAMESPACE avx512_vnni
#include "kernels/core/affine_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const AffineTable* avx512_affine() { return &avx512_vnni::kAffineTable; }

}  // namespace edgetwin::kernels
