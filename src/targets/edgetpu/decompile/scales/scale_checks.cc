#include "targets/edgetpu/decompile/scales/scale_checks.h"

namespace edgetwin::edgetpu {

ScaleChecks checks_of(size_t tensor, const ScaleLists& lists) {
  return {tensor, lists.laws_between(tensor)};
}

size_t first_miss(const ScaleChecks& checks, float s, const ScaleLists& lists,
                  const OwnConditions& own) {
  if (own.skipped(checks.tensor)) return lists.misses(checks.tensor, s, 1) == 0 ? kNoMiss : 0;
  for (size_t n = 0; n < checks.laws.size(); ++n) {
    if (!lists.can_hold(checks.laws[n], checks.tensor, s)) return n;
  }
  return kNoMiss;
}

}  // namespace edgetwin::edgetpu
