// Windows over bytes for AVX2.
#define EDGETWIN_ISA_NAMESPACE avx2
#include "kernels/core/pool_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const PoolTable* avx2_pool() { return &avx2::kPoolTable; }

}  // namespace edgetwin::kernels
