#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/elements/rows.h"

#include "kernels/core/row_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const RowTable* row_table(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
#if defined(__x86_64__)
  if (isa == Isa::avx512_vnni) return avx512_rows();
  if (isa == Isa::avx2 || isa == Isa::avx_vnni) return avx2_rows();
#endif
  return &any::kRowTable;
}

}  // namespace edgetwin::kernels
