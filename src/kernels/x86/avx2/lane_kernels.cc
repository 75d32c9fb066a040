// The kernels of this instruction set for saturating lanes: the common templates over its vectors,
// which come first.
#include "kernels/x86/avx2/vec.h"
#include "kernels/x86/lanes.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr LaneTable kTable = {
    avx2::Vec::kLanes, avx2::Vec::kLaneScale, avx2::lanes_encode,
    avx2::lanes_dense, avx2::lanes_depthwise,
};

}  // namespace

const LaneTable* avx2_lanes() { return &kTable; }

}  // namespace edgetwin::kernels
