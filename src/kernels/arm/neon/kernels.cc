// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/arm/neon/vec.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise.h"
#include "kernels/x86/interleave.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    .lanes = neon::Vec::kLanes,
    .taps_per_dot = neon::Vec::kTaps,
    .element_bytes = neon::Vec::kElementBytes,
    .grouped = false,
    .tile_pixels = neon::Vec::kTilePixels,
    .encode = neon::encode,
    .window_terms = neon::window_terms,
    .dense = neon::dense,
    .interleave = neon::interleave,
    .depthwise = neon::depthwise,
};

}  // namespace

const KernelTable* neon_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
