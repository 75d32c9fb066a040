// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/arm/neon_dotprod/vec.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise.h"
#include "kernels/x86/interleave.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    .lanes = neon_dotprod::Vec::kLanes,
    .taps_per_dot = neon_dotprod::Vec::kTaps,
    .element_bytes = neon_dotprod::Vec::kElementBytes,
    .grouped = false,
    .tile_pixels = neon_dotprod::Vec::kTilePixels,
    .encode = neon_dotprod::encode,
    .window_terms = neon_dotprod::window_terms,
    .dense = neon_dotprod::dense,
    .interleave = neon_dotprod::interleave,
    .depthwise = neon_dotprod::depthwise,
};

}  // namespace

const KernelTable* neon_dotprod_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
