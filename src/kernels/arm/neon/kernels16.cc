// The kernels of this instruction set for 16 bits: the common templates over its vectors, which
// come first.
#include "kernels/arm/neon/vec.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/dense16.h"
#include "kernels/x86/depthwise16.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable16 kTable = {
    neon::Vec::kLanes, neon::Vec::kHighShift, neon::Vec::kTilePixels,
    neon::encode16,    neon::dense16,         neon::depthwise16,
};

}  // namespace

const KernelTable16* neon_kernels16() { return &kTable; }

}  // namespace edgetwin::kernels
