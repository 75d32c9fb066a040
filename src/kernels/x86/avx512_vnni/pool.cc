// Windows over bytes for AVX-512.
#define EDGETWIN_ISA_NAMESPACE avx512_vnni
#include "kernels/core/pool_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const PoolTable* avx512_pool() { return &avx512_vnni::kPoolTable; }

}  // namespace edgetwin::kernels
