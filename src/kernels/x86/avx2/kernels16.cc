// The kernels of this instruction set for 16 bits: the common templates over its vectors, which
// come first.
#include "kernels/x86/avx2/vec.h"
#include "kernels/x86/dense16.h"
#include "kernels/x86/depthwise16.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable16 kTable = {
    avx2::Vec::kLanes, avx2::Vec::kHighShift, avx2::Vec::kTilePixels,
    avx2::encode16,    avx2::dense16,         avx2::depthwise16,
};

}  // namespace

const KernelTable16* avx2_kernels16() { return &kTable; }

}  // namespace edgetwin::kernels
