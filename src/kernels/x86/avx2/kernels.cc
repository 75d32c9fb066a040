// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/x86/avx2/vec.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise_direct.h"
#include "kernels/x86/interleave.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    .lanes = avx2::Vec::kLanes,
    .taps_per_dot = avx2::Vec::kTaps,
    .element_bytes = avx2::Vec::kElementBytes,
    .grouped = false,
    .tile_pixels = avx2::Vec::kTilePixels,
    .encode = avx2::encode,
    .window_terms = avx2::window_terms,
    .dense = avx2::dense,
    .interleave = avx2::interleave,
    .depthwise = avx2::depthwise,
    .direct_depthwise = avx2::direct_depthwise,
};

}  // namespace

const KernelTable* avx2_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
