// The clock of the accelerator. Source: specification "registers" 6.
#pragma once

#include "targets/max78/place/plan.h"

namespace edgetwin::max78 {

struct AcceleratorClock {
  bool pll = false;              // the source: the multiplier, or the clock of the peripherals
  int source_mhz = 0;            // MHz
  int loading = 1, running = 1;  // dividers: memories are loaded slowly, "balanced", by default
  double running_mhz() const { return static_cast<double>(source_mhz) / running; }
};

// What the options ask for: --pll, --pipeline, --clock-divider, --max-speed.
AcceleratorClock accelerator_clock(const Limits& chip, const Options& options);

}  // namespace edgetwin::max78
