// The bytes of a layer's kernels as one processor's memory holds them.
// Source: specification "memory" 5.1, 5.2, 5.4.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "targets/max78/place/plan.h"

namespace edgetwin::max78 {

struct KernelColumn {
  int64_t column = 0;                            // from the layer's first one
  std::array<uint8_t, kColumnBytes> bytes = {};  // bits 71..64 first
};

struct KernelStream {
  std::vector<KernelColumn> columns;  // ascending; columns that nothing is written to are missing
  int64_t end = 0;                    // the column after the last one
};

// True if the last pass over the input has fewer channels than the others: of these processors
// some have nothing in it. Weights below 8 bits are misplaced then (Rule::narrow_pass).
constexpr bool last_pass_is_short(int channels, int passes, int processors) {
  return passes > 1 && passes * processors != channels;
}

// The layer has weights and sizes; `processor` is in its map.
KernelStream kernel_stream(const LayerPlan& layer, int processor);

// Where a column of a calcx4 layer really is, and the same of a mask offset.
int64_t calcx4_column(const LayerPlan& layer, int64_t column);
int64_t calcx4_offset(int64_t column);

}  // namespace edgetwin::max78
