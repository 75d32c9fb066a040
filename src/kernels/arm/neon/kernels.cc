// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/arm/neon/vec.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise.h"
#include "kernels/x86/interleave.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    neon::Vec::kLanes,
    neon::Vec::kTaps,
    neon::Vec::kElementBytes,
    neon::Vec::kTilePixels,
    neon::encode,
    neon::window_terms,
    neon::dense,
    neon::interleave,
    neon::depthwise,
};

}  // namespace

const KernelTable* neon_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
