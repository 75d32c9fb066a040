#include "targets/max78/plan/make_plan.h"

#include "targets/max78/checks/checks.h"
#include "targets/max78/hardware/hardware.h"
#include "targets/max78/network/resolve.h"
#include "targets/max78/place/place.h"

namespace edgetwin::max78 {

Planning make_plan(const ai8x::Network& network, const ai8x::Parameters& parameters,
                   const SampleShape& sample, const Options& options) {
  Planning p;
  const auto resolved = resolve(network, parameters, sample, options, p.findings);
  if (!resolved) return p;
  p.hardware = std::make_shared<const HardwarePlan>(plan_hardware(*resolved, p.findings));
  p.resolved = p.hardware;
  check_plan(p.findings, *p.hardware);
  if (has_errors(p.findings)) return p;
  p.placed = std::make_shared<const Plan>(place(*p.hardware, p.findings));
  p.resolved = p.hardware = p.placed;
  check_registers(p.findings, *p.placed);
  return p;
}

}  // namespace edgetwin::max78
