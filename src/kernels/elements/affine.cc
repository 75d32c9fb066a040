#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/elements/affine.h"

#include "kernels/core/affine_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const AffineTable* affine_table(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
#if defined(__x86_64__)
  if (isa == Isa::avx512_vnni) return avx512_affine();
  if (isa == Isa::avx2 || isa == Isa::avx_vnni) return avx2_affine();
#endif
  return &any::kAffineTable;
}

}  // namespace edgetwin::kernels
