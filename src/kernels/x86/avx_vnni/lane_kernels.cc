// The kernels of this instruction set for saturating lanes: the common templates over its vectors,
// which come first.
#include "kernels/x86/avx_vnni/vec.h"
#include "kernels/x86/lanes.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr LaneTable kTable = {
    avx_vnni::Vec::kLanes, avx_vnni::Vec::kLaneScale, avx_vnni::lanes_encode,
    avx_vnni::lanes_dense, avx_vnni::lanes_depthwise,
};

}  // namespace

const LaneTable* avx_vnni_lanes() { return &kTable; }

}  // namespace edgetwin::kernels
