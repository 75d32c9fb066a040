// What is known of a tensor's values before the run.
#pragma once

#include "ops/core/kernel.h"

namespace edgetwin::ops {

struct ValueRange {
  int64_t low, high;
};

// Of operand `i`, an 8- or 16-bit tensor: from 0 on after a Relu, the extremes of a table after a
// look-up, else the range of its type. Looks through operators that only move elements.
ValueRange input_range(const OpContext& c, size_t i);

}  // namespace edgetwin::ops
