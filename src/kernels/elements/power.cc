#include "kernels/elements/power.h"

#include "kernels/x86/tables.h"

#if !defined(__x86_64__)
#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/core/power_loops.h"
#endif

namespace edgetwin::kernels {

#if defined(__x86_64__)

const PowerTable* power_table(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
  return isa == Isa::avx512_vnni ? avx512_power() : avx2_power();
}

#else

const PowerTable* power_table(Isa isa) {
  return isa == Isa::plain || !available(isa) ? nullptr : &any::kPowerTable;
}

#endif

}  // namespace edgetwin::kernels
