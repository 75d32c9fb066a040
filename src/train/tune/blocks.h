// Weights tuned without labels: block by block against the float network, on calibration samples.
#pragma once

#include "train/tune/tune.h"

namespace edgetwin::train {

// Chains of at most `size` operators that begin with one that has weights.
std::vector<Chain> blocks_of(const quantize::Planned& planned, int size);

// Changes the weights of planned.graph; a block that does not come closer to the float network
// stays as it was. Errors: those of making tapes.
Result<std::vector<BlockResult>> tune_blocks(quantize::Planned& planned,
                                             const std::vector<quantize::Sample>& samples,
                                             const TuneSettings& settings, ThreadPool& pool);

}  // namespace edgetwin::train
