// Elements of ESP-DL for AVX2.
#define EDGETWIN_ISA_NAMESPACE avx2
#include "kernels/core/power_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const PowerTable* avx2_power() { return &avx2::kPowerTable; }

}  // namespace edgetwin::kernels
