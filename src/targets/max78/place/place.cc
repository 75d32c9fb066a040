#include "targets/max78/place/place.h"

namespace edgetwin::max78 {

Plan place(const HardwarePlan& hardware, Findings& findings) {
  Plan plan{hardware, {}, {}, {}};
  for (const HardwareLayer& l : hardware.hardware_layers) plan.layers.emplace_back(l);
  place_kernels(plan, findings);
  place_biases(plan, findings);
  return plan;
}

}  // namespace edgetwin::max78
