// What comparing runners and comparing files share.
#pragma once

#include "edgetwin/verify.h"

namespace edgetwin::twin {

// Runs of two runners; tensors whose networks have their channels on different axes are compared
// with the channels last.
Agreement compare_runs(const Runner& a, const Run& run_a, const Runner& b, const Run& run_b,
                       double tolerance);

}  // namespace edgetwin::twin
