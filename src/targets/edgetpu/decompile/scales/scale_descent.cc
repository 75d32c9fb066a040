#include "targets/edgetpu/decompile/scales/scale_descent.h"

#include <algorithm>

namespace edgetwin::edgetpu {

ScaleChecks checks_of(size_t tensor, const ScaleLists& lists) {
  return {tensor, lists.laws_between(tensor)};
}

bool passes(const ScaleChecks& checks, float s, const ScaleLists& lists, const OwnConditions& own) {
  if (own.skipped(checks.tensor)) return lists.misses(checks.tensor, s, 1) == 0;
  return std::all_of(checks.laws.begin(), checks.laws.end(),
                     [&](size_t l) { return lists.can_hold(l, checks.tensor, s); });
}

ScaleCandidates followers(const ScaleOrder::Step& step, const ScaleIndex& index,
                          const ScaleLists& lists) {
  const ScaleLaw& law = index.problem.laws[step.law];
  return derive(law, step.tensor, lists.single(law.in), lists.single(law.second),
                lists.single(law.out));
}

// Which laws bind a tensor to others depends on what is known when its turn comes, and not on the
// scales; so any will do here.
ScaleDescentPlan::ScaleDescentPlan(size_t first, const std::vector<ScaleOrder::Step>& all,
                                   ScaleLists& lists)
    : lead(first), steps(all) {
  constexpr float kAny = 0x1p-6F;
  checks.push_back(checks_of(lead, lists));
  lists.suppose(lead, kAny);
  for (const ScaleOrder::Step& s : steps) {
    checks.push_back(checks_of(s.tensor, lists));
    lists.suppose(s.tensor, kAny);
  }
  lists.forget();
}

ScaleDescent::ScaleDescent(const ScaleDescentPlan& plan, const ScaleIndex& index, ScaleLists& lists,
                           const OwnConditions& own, std::function<bool()> agrees)
    : plan_(plan), index_(index), lists_(lists), own_(own), agrees_(std::move(agrees)) {}

bool ScaleDescent::from(float s, uint64_t& nodes) {
  if (!passes(plan_.checks[0], s, lists_, own_)) return false;
  lists_.suppose(plan_.lead, s);
  ++nodes;
  const bool done = plan_.steps.empty() ? agrees_() : descend(0, follow(0), nodes);
  if (!done) lists_.suppose(plan_.lead, 0.0F);
  return done;
}

ScaleCandidates ScaleDescent::follow(size_t depth) const {
  return followers(plan_.steps[depth], index_, lists_);
}

// What follows from a scale is asked before its own conditions: mostly nothing follows.
bool ScaleDescent::descend(size_t depth, const ScaleCandidates& candidates, uint64_t& nodes) {
  if (nodes > kMostNodes) return false;
  const size_t tensor = plan_.steps[depth].tensor;
  const bool last = depth + 1 == plan_.steps.size();
  for (const float s : candidates) {
    if (!lists_.listed(tensor, s)) continue;
    ++nodes;
    lists_.suppose(tensor, s);
    const ScaleCandidates next = last ? ScaleCandidates{} : follow(depth + 1);
    if ((last || !next.empty()) && own_.allow(tensor, s) &&
        passes(plan_.checks[depth + 1], s, lists_, own_) &&
        (last ? agrees_() : descend(depth + 1, next, nodes))) {
      return true;
    }
    lists_.suppose(tensor, 0.0F);
  }
  return false;
}

}  // namespace edgetwin::edgetpu
