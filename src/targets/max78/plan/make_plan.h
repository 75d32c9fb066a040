// A network made ready for a chip, from the description to the place of everything in memory.
#pragma once

#include <memory>

#include "targets/max78/place/plan.h"

namespace edgetwin::max78 {

// How far a network came. Each stage contains the ones before and is there where they had no error.
struct Planning {
  Findings findings;
  std::shared_ptr<const ResolvedNetwork> resolved;
  std::shared_ptr<const HardwarePlan> hardware;
  std::shared_ptr<const Plan> placed;

  // The plan of a network that fits; null where findings have an error.
  const Plan* plan() const { return has_errors(findings) ? nullptr : placed.get(); }
};

// Sizes, what the hardware computes, every rule, kernels and biases in their places.
Planning make_plan(const ai8x::Network& network, const ai8x::Parameters& parameters,
                   const SampleShape& sample, const Options& options);

}  // namespace edgetwin::max78
