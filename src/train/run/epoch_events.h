// The curves of a run for TensorBoard. Specification: training, 13.
#pragma once

#include "base/bytes.h"
#include "train/journal/history.h"
#include "train/network/model.h"
#include "train/run/evaluate.h"

namespace edgetwin::train {

// The records of an epoch of `steps` steps, under the tags of the vendor's program.
Bytes epoch_events(const EpochRow& row, const Evaluation& judged, const Model& model,
                   int64_t steps);

}  // namespace edgetwin::train
