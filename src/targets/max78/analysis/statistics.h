// What a network costs: operations, memory, and an estimate of its time on the chip.
// Source: specification of the numerics 9, "codegen" 9.
#pragma once

#include <cstdint>
#include <vector>

#include "targets/max78/place/plan.h"

namespace edgetwin::max78 {

struct Operations {
  int64_t macc = 0, comp = 0, add = 0, mul = 0, bitwise = 0;
  int64_t all() const { return macc + comp + add + mul + bitwise; }
  Operations& operator+=(const Operations& other);
};

struct LayerStatistics {
  int layer = 0;
  Operations operations;
  int64_t cycles = 0;      // of the accelerator's clock; MAX78000 only, else 0
  bool estimated = false;  // streams: the number is less certain
};

struct Statistics {
  std::vector<LayerStatistics> layers;  // by number
  Operations operations;
  int64_t weight_bytes = 0, weight_bytes_total = 0;  // stored kernels; what the chip has
  int64_t bias_bytes = 0, bias_bytes_total = 0;
  int64_t start_cycles = 0, cycles = 0;  // MAX78000 only: an estimate
};

// Of a plan without errors.
Statistics statistics(const Plan& plan);

}  // namespace edgetwin::max78
