// Two networks side by side on pseudo-random inputs: what layers that are equal may still hide, as
// positions that changed places, or scales that are right but for their last bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "graph/graph.h"

namespace edgetwin::edgetpu {

struct SameRuns {
  uint32_t runs = 0, equal = 0;     // on as many inputs
  size_t bytes = 0, different = 0;  // of all outputs of all runs
};

// With the numerics of the chip. Networks whose inputs or outputs are not as many, or not as large,
// are equal in no run. Errors: those of a source that cannot run.
Result<SameRuns> same_runs(const Graph& decompiled, const Graph& source, uint32_t runs);

}  // namespace edgetwin::edgetpu
