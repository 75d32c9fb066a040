// Time, energy and room on the MAX78000 and MAX78002. Source: specification of estimates 1.
#pragma once

#include "base/result.h"
#include "edgetwin/estimate.h"
#include "targets/max78/analysis/cycles.h"
#include "targets/max78/place/plan.h"
#include "targets/max78/plan/make_plan.h"

namespace edgetwin::estimates {

struct Max78Wishes {
  std::optional<double> clock_mhz;
  std::optional<bool> fifo, riscv;  // empty: as the options of the plan say
};

// One layer of the model of time: what the formula takes, for fits too.
struct Max78Layer {
  max78::LayerShape shape;
  int64_t out_pixels = 0;    // of the output, once for all passes; flattened: of the input map
  int64_t kernel_reads = 0;  // R
  bool streaming = false;
};
Max78Layer max78_layer(const max78::Plan& plan, const max78::LayerPlan& layer);

// Cycles of the MAX78002 before its clock: the formula without what comes before the first row, and
// 10.7 for each output pixel.
double max78002_cycles(const Max78Layer& layer, double per_pixel);

// `planning` is of a network that fits. Errors: usage where a wish is out of range.
Result<Estimate> estimate_max78(const max78::Planning& planning, const Max78Wishes& wishes);

// A network that breaks rules of the chip: no time; the memory's verdict is no with what is
// missing.
Estimate refused_max78(const max78::Limits& chip, const std::vector<Finding>& findings);

}  // namespace edgetwin::estimates
