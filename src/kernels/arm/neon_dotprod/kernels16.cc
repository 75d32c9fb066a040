// The kernels of this instruction set for 16 bits: the common templates over its vectors, which
// come first.
#include "kernels/arm/neon_dotprod/vec.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/dense16.h"
#include "kernels/x86/depthwise16.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable16 kTable = {
    neon_dotprod::Vec::kLanes, neon_dotprod::Vec::kHighShift, neon_dotprod::Vec::kTilePixels,
    neon_dotprod::encode16,    neon_dotprod::dense16,         neon_dotprod::depthwise16,
};

}  // namespace

const KernelTable16* neon_dotprod_kernels16() { return &kTable; }

}  // namespace edgetwin::kernels
