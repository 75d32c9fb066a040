// The kernels of this instruction set for 16 bits: the common templates over its vectors, which
// come first.
#include "kernels/x86/avx_vnni/vec.h"
#include "kernels/x86/dense16.h"
#include "kernels/x86/depthwise16.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable16 kTable = {
    avx_vnni::Vec::kLanes, avx_vnni::Vec::kHighShift, avx_vnni::Vec::kTilePixels,
    avx_vnni::encode16,    avx_vnni::dense16,         avx_vnni::depthwise16,
};

}  // namespace

const KernelTable16* avx_vnni_kernels16() { return &kTable; }

}  // namespace edgetwin::kernels
