#include "kernels/elements/pool.h"

#include "kernels/x86/tables.h"

#if !defined(__x86_64__)
#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/core/pool_loops.h"
#endif

namespace edgetwin::kernels {

#if defined(__x86_64__)

const PoolTable* pool_table(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
  return isa == Isa::avx512_vnni ? avx512_pool() : avx2_pool();
}

#else

const PoolTable* pool_table(Isa isa) {
  return isa == Isa::plain || !available(isa) ? nullptr : &any::kPoolTable;
}

#endif

}  // namespace edgetwin::kernels
