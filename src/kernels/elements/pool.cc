#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/elements/pool.h"

#include "kernels/core/pool_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const PoolTable* pool_table(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
#if defined(__x86_64__)
  if (isa == Isa::avx512_vnni) return avx512_pool();
  if (isa == Isa::avx2 || isa == Isa::avx_vnni) return avx2_pool();
#endif
  return &any::kPoolTable;
}

}  // namespace edgetwin::kernels
