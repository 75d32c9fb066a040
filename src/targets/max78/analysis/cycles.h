// Cycles of one layer of a MAX78000: equal to the vendor's own numbers in every layer that is
// known. Source: specification of estimates 1.1.
#pragma once

#include <cstdint>

#include "targets/max78/place/plan.h"

namespace edgetwin::max78 {

// What of a layer decides its time; the letters are those of the specification.
struct LayerShape {
  int64_t rows = 1, columns = 1;           // H, W: after pooling and stride; transposed: twice that
  int64_t out_columns = 1;                 // ow
  int64_t pool = 1;                        // P: rows * columns of the pooling window
  int64_t kh = 1, kw = 1, ph = 0, pw = 0;  // kernel and padding as the hardware has them
  int64_t operands = 1;                    // n
  int64_t passes = 1;                      // p
  int64_t kernels = 0;                     // K: walked for one pixel and pass
  int64_t time_slots = 0;                  // s, of layers without a kernel
  int64_t first_column = 0;                // of the kernels
  bool passthrough = false, pool_first = true, flatten = false;
};

LayerShape layer_shape(const Plan& plan, const LayerPlan& layer);

// Without the factor that the vendor gives to layers that stream.
int64_t layer_cycles(const LayerShape& shape);
// The part of it before the first row: reads of layers that pool last.
int64_t cycles_before(const LayerShape& shape);

}  // namespace edgetwin::max78
