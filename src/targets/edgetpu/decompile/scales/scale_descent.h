// The steps of an exact search: from a scale of a group's first tensor to those of all others,
// which follow from it law by law. No law may be broken on the way.
#pragma once

#include <functional>
#include <vector>

#include "targets/edgetpu/decompile/scales/scale_checks.h"
#include "targets/edgetpu/decompile/scales/scale_vain.h"

namespace edgetwin::edgetpu {

// Scales of the step's tensor that its law lets follow from those that are supposed.
ScaleCandidates followers(const ScaleOrder::Step& step, const ScaleIndex& index,
                          const ScaleLists& lists);

// What all descents from one tensor share.
struct ScaleDescentPlan {
  // Nothing is supposed in `lists`, before and after.
  ScaleDescentPlan(size_t lead, const std::vector<ScaleOrder::Step>& steps, const ScaleIndex& index,
                   const OwnConditions& own, ScaleLists& lists);

  size_t lead;
  const std::vector<ScaleOrder::Step>& steps;
  std::vector<size_t> tensors;      // by place: of the lead, then of each step
  std::vector<ScaleChecks> checks;  // by place; of a step without its own law
  // Which places before it tell the scales of a step, and by check whether one of them passes.
  std::vector<ScalePlaces> followed;
  std::vector<std::vector<ScalePlaces>> checked;
  std::vector<bool> rare;  // by step: for most scales before it there is none that follows

  // Of the tensors that the laws bind.
  ScalePlaces places_of(const std::vector<size_t>& laws, const ScaleIndex& index) const;
};

class ScaleDescent {
 public:
  static constexpr uint64_t kMostNodes = 1U << 26U;

  // Where all tensors have a scale; `why`, where they do not agree with what is around: which of
  // them tell that.
  using Agrees = std::function<bool(ScalePlaces& why)>;

  // Supposes in `lists` what it tries.
  ScaleDescent(const ScaleDescentPlan& plan, const ScaleIndex& index, ScaleLists& lists,
               const OwnConditions& own, Agrees agrees);

  // Whether all follows from this scale of the lead; then it stays supposed. `nodes` counts the
  // steps of all calls; after kMostNodes nothing is found any more.
  bool from(float scale, uint64_t& nodes);
  // What comes after it is counted as if nothing was tried before.
  void forget() { vain_.forget(); }

 private:
  // `why`, where there is nothing: the places whose scales tell that.
  bool descend(size_t depth, const ScaleCandidates* known, uint64_t& nodes, ScalePlaces& why);
  bool try_all(size_t depth, const ScaleCandidates& candidates, uint64_t& nodes, ScalePlaces& why);
  bool try_one(size_t place, float scale, uint64_t& nodes, ScalePlaces& why);
  bool allows(size_t place, float scale, ScalePlaces& why) const;

  const ScaleDescentPlan& plan_;
  const ScaleIndex& index_;
  ScaleLists& lists_;
  const OwnConditions& own_;
  Agrees agrees_;
  VainSteps vain_;
};

}  // namespace edgetwin::edgetpu
