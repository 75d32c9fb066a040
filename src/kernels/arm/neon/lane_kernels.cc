// The kernels of this instruction set for saturating lanes: the common templates over its vectors,
// which come first.
#include "kernels/arm/neon/vec.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/lanes.h"

namespace edgetwin::kernels {
namespace {

constexpr LaneTable kTable = {
    neon::Vec::kLanes, neon::Vec::kLaneScale, neon::lanes_encode,
    neon::lanes_dense, neon::lanes_depthwise,
};

}  // namespace

const LaneTable* neon_lanes() { return &kTable; }

}  // namespace edgetwin::kernels
