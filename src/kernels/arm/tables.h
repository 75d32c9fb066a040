// What the files below arm/ offer. Each function belongs to one instruction set and is called only
// where the processor has that. Only builds for AArch64 have these functions.
#pragma once

namespace edgetwin::kernels {

struct KernelTable;
struct KernelTable16;
struct LaneTable;

const KernelTable* neon_kernels();
const KernelTable* neon_dotprod_kernels();
const KernelTable* neon_i8mm_kernels();

const KernelTable16* neon_kernels16();
const KernelTable16* neon_dotprod_kernels16();
const KernelTable16* neon_i8mm_kernels16();

const LaneTable* neon_lanes();
const LaneTable* neon_dotprod_lanes();
const LaneTable* neon_i8mm_lanes();

}  // namespace edgetwin::kernels
