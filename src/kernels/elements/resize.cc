#include "kernels/elements/resize.h"

#include "kernels/x86/tables.h"

#if !defined(__x86_64__)
#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/core/resize_rows.h"
#endif

namespace edgetwin::kernels {

#if defined(__x86_64__)

const ResizeTable* resize_table(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
  return isa == Isa::avx512_vnni ? avx512_resize() : avx2_resize();
}

#else

const ResizeTable* resize_table(Isa isa) {
  return isa == Isa::plain || !available(isa) ? nullptr : &any::kResizeTable;
}

#endif

}  // namespace edgetwin::kernels
