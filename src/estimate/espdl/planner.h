// Where ESP-DL's runtime puts the activations of a model: its own planner, reproduced. Source:
// specification of estimates 2.3; equal to the totals that boards printed.
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/espdl/variables.h"

namespace edgetwin::estimates {

struct PlacedVariable {
  int leader = -1;  // the variable whose memory it uses; -1: its own
  bool internal = false;
  int64_t offset = 0;
  int end = -1;  // the step at whose beginning it is freed; -1: never
};

struct ActivationPlan {
  std::vector<PlacedVariable> variables;  // in the order of Variables::all
  int64_t psram = 0;                      // bytes of the one block
  int64_t internal = 0;                   // the whole max_internal_size, or 0
};

// `max_internal` up to 16: everything in PSRAM.
ActivationPlan plan_activations(const espdl::Document& document, const Variables& variables,
                                int64_t max_internal);

}  // namespace edgetwin::estimates
