// Operators that stand at the end of networks and make detections of their outputs.
#pragma once

#include "ops/core/kernel.h"

namespace edgetwin::ops {

[[gnu::cold]] Result<Prepared> prepare_detection_postprocess(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_posenet_decoder(const OpContext& c);

}  // namespace edgetwin::ops
