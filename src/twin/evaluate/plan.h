// What an evaluation computes: networks, samples and how they come in, settled before the first
// inference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "edgetwin/decode.h"
#include "edgetwin/evaluate.h"
#include "evaluate/parts/part.h"
#include "image/espdl/params.h"
#include "twin/evaluate/prepare.h"

namespace edgetwin::twin {

// A network with the runners that compute it, one for each worker.
struct Contender {
  std::string name;
  std::vector<std::unique_ptr<Runner>> runners;
  std::vector<Prepared> scratch;  // of each worker: its last sample
  std::string decoder;            // empty: none
  std::optional<double> input_step;
  Preparation preparation;
};

struct EvaluationPlan {
  evaluation::Identity identity;
  evaluation::SampleSet set;
  std::vector<Contender> contenders;
  std::vector<evaluation::Loaded> loaded;  // of each worker: its last sample
  Labels labels;
  std::optional<double> threshold;
  std::vector<Finding> findings;
};

// Errors: those of evaluate().
Result<EvaluationPlan> plan_evaluation(const std::vector<Candidate>& candidates,
                                       const EvaluateOptions& options);

}  // namespace edgetwin::twin
