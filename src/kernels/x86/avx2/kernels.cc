// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/x86/avx2/vec.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise.h"
#include "kernels/x86/interleave.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    avx2::Vec::kLanes,
    avx2::Vec::kTaps,
    avx2::Vec::kElementBytes,
    avx2::Vec::kTilePixels,
    avx2::encode,
    avx2::window_terms,
    avx2::dense,
    avx2::interleave,
    avx2::depthwise,
};

}  // namespace

const KernelTable* avx2_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
