// The kernels of this instruction set for saturating lanes: the common templates over its vectors,
// which come first.
#include "kernels/x86/avx512_vnni/vec.h"
#include "kernels/x86/lanes.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr LaneTable kTable = {
    avx512_vnni::Vec::kLanes, avx512_vnni::Vec::kLaneScale, avx512_vnni::lanes_encode,
    avx512_vnni::lanes_dense, avx512_vnni::lanes_depthwise,
};

}  // namespace

const LaneTable* avx512_vnni_lanes() { return &kTable; }

}  // namespace edgetwin::kernels
