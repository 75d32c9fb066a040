// What the chip computes instead of what the description says: passes, emulated kernels.
#pragma once

#include "targets/max78/network/plan.h"

namespace edgetwin::max78 {

// Fills the plan's groups, resets, and of every layer the part "as the hardware computes it". Adds
// findings where the hardware cannot do what is asked.
void plan_hardware(Plan& plan);

}  // namespace edgetwin::max78
