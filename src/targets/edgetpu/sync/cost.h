// The cost model of timed runs, as parameters.
#pragma once

#include <string_view>
#include <vector>

namespace edgetwin::edgetpu::sync {

// In steps of the chip's clock, 500 MHz; see cost.def.
struct Costs {
#define COST(name, value, unit, evidence, source) double name = value;
#include "targets/edgetpu/sync/cost.def"
#undef COST
};

struct CostRow {
  std::string_view name;
  double value;
  std::string_view unit, evidence, source;
};
const std::vector<CostRow>& all_costs();

inline constexpr double kStepsPerMillisecond = 500'000.0;

}  // namespace edgetwin::edgetpu::sync
