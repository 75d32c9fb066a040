// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/arm/neon_i8mm/matrix.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise.h"
#include "kernels/x86/interleave.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    neon_i8mm::Vec::kLanes,
    neon_i8mm::Vec::kTaps,
    neon_i8mm::Vec::kElementBytes,
    neon_i8mm::Vec::kTilePixels,
    neon_i8mm::encode,
    neon_i8mm::window_terms,
    neon_i8mm::dense,
    neon_i8mm::interleave,
    neon_i8mm::depthwise,
};

}  // namespace

const KernelTable* neon_i8mm_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
