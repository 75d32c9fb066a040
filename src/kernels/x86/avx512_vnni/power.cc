// Elements of ESP-DL for AVX-512.
#define EDGETWIN_ISA_NAMESPACE avx512_vnni
#include "kernels/core/power_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const PowerTable* avx512_power() { return &avx512_vnni::kPowerTable; }

}  // namespace edgetwin::kernels
