// The kernels of this instruction set for saturating lanes: the common templates over its vectors,
// which come first.
#include "kernels/arm/neon_dotprod/vec.h"
#include "kernels/arm/tables.h"
#include "kernels/x86/lanes.h"

namespace edgetwin::kernels {
namespace {

constexpr LaneTable kTable = {
    neon_dotprod::Vec::kLanes, neon_dotprod::Vec::kLaneScale, neon_dotprod::lanes_encode,
    neon_dotprod::lanes_dense, neon_dotprod::lanes_depthwise,
};

}  // namespace

const LaneTable* neon_dotprod_lanes() { return &kTable; }

}  // namespace edgetwin::kernels
