// Rules of the chip on a resolved network. Source: specification "network" 5.
#include <algorithm>

#include "targets/max78/checks/checks.h"

namespace edgetwin::max78 {

void check_plan(Plan& plan) {
  check_options(plan);
  check_fifo(plan);
  for (const int i : plan.order) {
    LayerPlan& l = plan.layer(i);
    check_device(plan, l);
    check_operator(plan, l);
    check_processors(plan, l);
    check_sources(plan, l);
    check_memory(plan, l);
    check_biases(plan, l);
  }
  check_streaming(plan);
  check_overlap(plan);
}

}  // namespace edgetwin::max78
