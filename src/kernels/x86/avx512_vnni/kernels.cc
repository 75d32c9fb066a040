// The kernels of this instruction set: the common templates over its vectors, which come first.
#include "kernels/x86/avx512_vnni/vec.h"
#include "kernels/x86/dense.h"
#include "kernels/x86/depthwise.h"
#include "kernels/x86/interleave.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr KernelTable kTable = {
    avx512_vnni::Vec::kLanes,
    avx512_vnni::Vec::kTaps,
    avx512_vnni::Vec::kElementBytes,
    avx512_vnni::Vec::kTilePixels,
    avx512_vnni::encode,
    avx512_vnni::window_terms,
    avx512_vnni::dense,
    avx512_vnni::interleave,
    avx512_vnni::depthwise,
};

}  // namespace

const KernelTable* avx512_vnni_kernels() { return &kTable; }

}  // namespace edgetwin::kernels
