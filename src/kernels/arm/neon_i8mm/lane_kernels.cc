// The kernels of this instruction set for saturating lanes: the common templates over its vectors,
// which come first.
#include "kernels/arm/neon_i8mm/vec.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/lanes.h"

namespace edgetwin::kernels {
namespace {

constexpr LaneTable kTable = {
    neon_i8mm::Vec::kLanes, neon_i8mm::Vec::kLaneScale, neon_i8mm::lanes_encode,
    neon_i8mm::lanes_dense, neon_i8mm::lanes_depthwise,
};

}  // namespace

const LaneTable* neon_i8mm_lanes() { return &kTable; }

}  // namespace edgetwin::kernels
