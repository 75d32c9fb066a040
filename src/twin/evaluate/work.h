// Samples computed: blocks of them, shared by threads and processes.
#pragma once

#include "evaluate/parts/journal.h"
#include "twin/evaluate/plan.h"

namespace edgetwin::twin {

// What is computed, and what of it was there before.
struct Worked {
  std::vector<evaluation::Record> records;  // of this process, by index
  uint64_t resumed = 0, computed = 0;
  double seconds = 0.0;
};

// The record of one sample under all networks; `worker` chooses the runner. Errors of the sample
// itself are in the record, those of networks and labels are errors.
Result<evaluation::Record> compute_sample(EvaluationPlan& plan, uint64_t index, size_t worker);

// Every sample of the shard that no journal has.
Result<Worked> compute_all(EvaluationPlan& plan, const EvaluateOptions& options, Cluster& cluster);

}  // namespace edgetwin::twin
