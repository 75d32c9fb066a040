// The kernels of this instruction set for 16 bits: the common templates over its vectors, which
// come first.
#include "kernels/arm/neon_i8mm/matrix.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/dense16.h"
#include "kernels/x86/depthwise16.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable16 kTable = {
    neon_i8mm::Vec::kLanes, neon_i8mm::Vec::kHighShift, neon_i8mm::Vec::kTilePixels,
    neon_i8mm::encode16,    neon_i8mm::dense16,         neon_i8mm::depthwise16,
};

}  // namespace

const KernelTable16* neon_i8mm_kernels16() { return &kTable; }

}  // namespace edgetwin::kernels
