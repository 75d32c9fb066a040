#include "targets/max78/plan/make_plan.h"

#include "targets/max78/checks/checks.h"
#include "targets/max78/hardware/hardware.h"
#include "targets/max78/network/resolve.h"
#include "targets/max78/place/place.h"

namespace edgetwin::max78 {

Plan make_plan(const ai8x::Network& network, const ai8x::Parameters& parameters,
               const SampleShape& sample, const Options& options) {
  Plan plan = resolve(network, parameters, sample, options);
  if (has_errors(plan.findings)) return plan;
  plan_hardware(plan);
  check_plan(plan);
  if (has_errors(plan.findings)) return plan;
  place_kernels(plan);
  place_biases(plan);
  check_registers(plan);
  return plan;
}

}  // namespace edgetwin::max78
