// What the files below arm/ offer. Each function belongs to one instruction set and is called only
// where the processor has that. Only builds for AArch64 have these functions.
#pragma once

namespace edgetwin::kernels {

struct KernelTable;

const KernelTable* neon_dotprod_kernels();
const KernelTable* neon_i8mm_kernels();

}  // namespace edgetwin::kernels
