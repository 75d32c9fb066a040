#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/elements/power.h"

#include "kernels/core/power_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const PowerTable* power_table(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
#if defined(__x86_64__)
  if (isa == Isa::avx512_vnni) return avx512_power();
  if (isa == Isa::avx2 || isa == Isa::avx_vnni) return avx2_power();
#endif
  return &any::kPowerTable;
}

}  // namespace edgetwin::kernels
