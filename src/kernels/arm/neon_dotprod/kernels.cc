// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/arm/neon_dotprod/vec.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise.h"
#include "kernels/x86/interleave.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    neon_dotprod::Vec::kLanes,
    neon_dotprod::Vec::kTaps,
    neon_dotprod::Vec::kElementBytes,
    neon_dotprod::Vec::kTilePixels,
    neon_dotprod::encode,
    neon_dotprod::window_terms,
    neon_dotprod::dense,
    neon_dotprod::interleave,
    neon_dotprod::depthwise,
};

}  // namespace

const KernelTable* neon_dotprod_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
