// The steps of an exact search: from a scale of a group's first tensor to those of all others,
// which follow from it law by law. No law may be broken on the way.
#pragma once

#include <functional>
#include <optional>
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
bool passes(const ScaleChecks& checks, float scale, const ScaleLists& lists,
            const OwnConditions& own);

// Scales of the step's tensor that its law lets follow from those that are supposed.
ScaleCandidates followers(const ScaleOrder::Step& step, const ScaleIndex& index,
                          const ScaleLists& lists);

// What all descents from one tensor share.
struct ScaleDescentPlan {
  // Nothing is supposed in `lists`, before and after.
  ScaleDescentPlan(size_t lead, const std::vector<ScaleOrder::Step>& steps, ScaleLists& lists);

  size_t lead;
  const std::vector<ScaleOrder::Step>& steps;
  std::vector<ScaleChecks> checks;  // of the lead, then of each step
};

class ScaleDescent {
 public:
  static constexpr uint64_t kMostNodes = 1U << 26U;

  // Supposes in `lists` what it tries. `agrees` is asked where all tensors have a scale.
  ScaleDescent(const ScaleDescentPlan& plan, const ScaleIndex& index, ScaleLists& lists,
               const OwnConditions& own, std::function<bool()> agrees);

  // Whether all follows from this scale of the lead; then it stays supposed. `nodes` counts the
  // steps of all calls; after kMostNodes nothing is found any more.
  bool from(float scale, uint64_t& nodes);

 private:
  bool descend(size_t depth, const ScaleCandidates& candidates, uint64_t& nodes);
  ScaleCandidates follow(size_t depth) const;

  const ScaleDescentPlan& plan_;
  const ScaleIndex& index_;
  ScaleLists& lists_;
  const OwnConditions& own_;
  std::function<bool()> agrees_;
};

}  // namespace edgetwin::edgetpu
