// Rules of the chip on a resolved network. Source: specification "network" 5.
#include <algorithm>

#include "targets/max78/checks/checks.h"

namespace edgetwin::max78 {

void check_plan(Findings& findings, const HardwarePlan& plan) {
  check_options(findings, plan);
  check_fifo(findings, plan);
  for (const int i : plan.order) {
    const HardwareLayer& l = plan.layer(i);
    check_device(findings, plan, l);
    check_operator(findings, plan, l);
    check_processors(findings, plan, l);
    check_sources(findings, plan, l);
    check_memory(findings, plan, l);
    check_biases(findings, plan, l);
  }
  check_streaming(findings, plan);
  check_overlap(findings, plan);
}

}  // namespace edgetwin::max78
