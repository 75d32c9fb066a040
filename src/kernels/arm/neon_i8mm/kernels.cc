// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/arm/neon_i8mm/matrix.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise.h"
#include "kernels/x86/interleave.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    .lanes = neon_i8mm::Vec::kLanes,
    .taps_per_dot = neon_i8mm::Vec::kTaps,
    .element_bytes = neon_i8mm::Vec::kElementBytes,
    .grouped = false,
    .tile_pixels = neon_i8mm::Vec::kTilePixels,
    .encode = neon_i8mm::encode,
    .window_terms = neon_i8mm::window_terms,
    .dense = neon_i8mm::dense,
    .interleave = neon_i8mm::interleave,
    .depthwise = neon_i8mm::depthwise,
};

}  // namespace

const KernelTable* neon_i8mm_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
