// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/x86/avx_vnni/vec.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise.h"
#include "kernels/x86/interleave.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    avx_vnni::Vec::kLanes,
    avx_vnni::Vec::kTaps,
    avx_vnni::Vec::kElementBytes,
    avx_vnni::Vec::kTilePixels,
    avx_vnni::encode,
    avx_vnni::window_terms,
    avx_vnni::dense,
    avx_vnni::interleave,
    avx_vnni::depthwise,
};

}  // namespace

const KernelTable* avx_vnni_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
