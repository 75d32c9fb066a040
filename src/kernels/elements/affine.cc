#include "kernels/elements/affine.h"

#include "kernels/x86/tables.h"

#if !defined(__x86_64__)
#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/core/affine_loops.h"
#endif

namespace edgetwin::kernels {

#if defined(__x86_64__)

const AffineTable* affine_table(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
  return isa == Isa::avx512_vnni ? avx512_affine() : avx2_affine();
}

#else

const AffineTable* affine_table(Isa isa) {
  return isa == Isa::plain || !available(isa) ? nullptr : &any::kAffineTable;
}

#endif

}  // namespace edgetwin::kernels
