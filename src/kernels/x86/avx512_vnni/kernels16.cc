// The kernels of this instruction set for 16 bits: the common templates over its vectors, which
// come first.
#include "kernels/x86/avx512_vnni/vec.h"
#include "kernels/x86/dense16.h"
#include "kernels/x86/depthwise16.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable16 kTable = {
    avx512_vnni::Vec::kLanes, avx512_vnni::Vec::kHighShift, avx512_vnni::Vec::kTilePixels,
    avx512_vnni::encode16,    avx512_vnni::dense16,         avx512_vnni::depthwise16,
};

}  // namespace

const KernelTable16* avx512_vnni_kernels16() { return &kTable; }

}  // namespace edgetwin::kernels
