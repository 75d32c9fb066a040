// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/x86/avx512_vnni/vec.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise.h"
#include "kernels/x86/interleave.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    .lanes = avx512_vnni::Vec::kLanes,
    .taps_per_dot = avx512_vnni::Vec::kTaps,
    .element_bytes = avx512_vnni::Vec::kElementBytes,
    .grouped = false,
    .tile_pixels = avx512_vnni::Vec::kTilePixels,
    .encode = avx512_vnni::encode,
    .window_terms = avx512_vnni::window_terms,
    .dense = avx512_vnni::dense,
    .interleave = avx512_vnni::interleave,
    .depthwise = avx512_vnni::depthwise,
};

}  // namespace

const KernelTable* avx512_vnni_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
