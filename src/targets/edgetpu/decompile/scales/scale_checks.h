// Which laws are asked of a tensor's scale in a search, and the order of the search that tells it.
#pragma once

#include <vector>

#include "targets/edgetpu/decompile/scales/scale_conditions.h"
#include "targets/edgetpu/decompile/scales/scale_order.h"

namespace edgetwin::edgetpu {

// Laws of a tensor that are asked of a scale which OwnConditions allow.
struct ScaleChecks {
  size_t tensor = kNoTensor;
  std::vector<size_t> laws;
};
ScaleChecks checks_of(size_t tensor, const ScaleLists& lists);
// The first of them that does not hold, by index, kNoMiss where all do; where own conditions are
// skipped, 0 for all.
inline constexpr size_t kNoMiss = static_cast<size_t>(-1);
size_t first_miss(const ScaleChecks& checks, float scale, const ScaleLists& lists,
                  const OwnConditions& own);
inline bool passes(const ScaleChecks& checks, float scale, const ScaleLists& lists,
                   const OwnConditions& own) {
  return first_miss(checks, scale, lists, own) == kNoMiss;
}

}  // namespace edgetwin::edgetpu
