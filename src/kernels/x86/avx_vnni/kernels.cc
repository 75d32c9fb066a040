// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/x86/avx_vnni/vec.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise.h"
#include "kernels/x86/interleave.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    .lanes = avx_vnni::Vec::kLanes,
    .taps_per_dot = avx_vnni::Vec::kTaps,
    .element_bytes = avx_vnni::Vec::kElementBytes,
    .grouped = false,
    .tile_pixels = avx_vnni::Vec::kTilePixels,
    .encode = avx_vnni::encode,
    .window_terms = avx_vnni::window_terms,
    .dense = avx_vnni::dense,
    .interleave = avx_vnni::interleave,
    .depthwise = avx_vnni::depthwise,
};

}  // namespace

const KernelTable* avx_vnni_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
