#include "targets/edgetpu/decompile/scales/scale_descent.h"

#include <utility>

namespace edgetwin::edgetpu {

ScaleCandidates followers(const ScaleOrder::Step& step, const ScaleIndex& index,
                          const ScaleLists& lists) {
  const ScaleLaw& law = index.problem.laws[step.law];
  return derive(law, step.tensor, lists.single(law.in), lists.single(law.second),
                lists.single(law.out));
}

namespace {

// Whether one operand follows from the other by a quotient that two floats mostly do not have.
bool asks_for_quotient(const ScaleLaw& law, size_t unknown, const ScaleLists& lists,
                       double floats) {
  if (law.kind != ScaleLawKind::sum || unknown == law.out) return false;
  if (unknown == law.in && lists.single(law.out) != 0.0F) return false;
  return law.high > 0.0 && law.high - law.low < floats * law.high;
}

}  // namespace

// Which laws bind a tensor to others depends on what is known when its turn comes, and not on the
// scales; so any will do here.
ScaleDescentPlan::ScaleDescentPlan(size_t first, const std::vector<ScaleOrder::Step>& all,
                                   const ScaleIndex& index, const OwnConditions& own,
                                   ScaleLists& lists)
    : lead(first), steps(all), tensors{first} {
  constexpr float kAny = 0x1p-6F;
  constexpr size_t kFew = 4;  // of many multipliers one is mostly missed
  checks.push_back(checks_of(lead, lists));
  lists.suppose(lead, kAny);
  for (const ScaleOrder::Step& s : steps) {
    ScaleChecks c = checks_of(s.tensor, lists);
    std::erase(c.laws, s.law);  // holds for what followed from it
    followed.push_back(places_of({s.law}, index));
    const double floats = own.multipliers(tensors.back()) > kFew ? 0x1p-26 : 0x1p-23;
    rare.push_back(asks_for_quotient(index.problem.laws[s.law], s.tensor, lists, floats));
    checked.emplace_back();
    for (const size_t l : c.laws) checked.back().push_back(places_of({l}, index));
    if (own.skipped(s.tensor)) checked.back() = {places_of(index.laws[s.tensor], index)};
    checks.push_back(std::move(c));
    lists.suppose(s.tensor, kAny);
    tensors.push_back(s.tensor);
  }
  lists.forget();
}

ScalePlaces ScaleDescentPlan::places_of(const std::vector<size_t>& laws,
                                        const ScaleIndex& index) const {
  ScalePlaces places;
  for (const size_t l : laws) {
    const ScaleLaw& law = index.problem.laws[l];
    for (size_t p = 0; p < tensors.size(); ++p) {
      const size_t t = tensors[p];
      if (t == law.in || t == law.second || t == law.out) places = places.with(ScalePlaces(p));
    }
  }
  return places;
}

ScaleDescent::ScaleDescent(const ScaleDescentPlan& plan, const ScaleIndex& index, ScaleLists& lists,
                           const OwnConditions& own, Agrees agrees)
    : plan_(plan),
      index_(index),
      lists_(lists),
      own_(own),
      agrees_(std::move(agrees)),
      vain_(plan.tensors, lists) {}

bool ScaleDescent::from(float s, uint64_t& nodes) {
  if (!passes(plan_.checks[0], s, lists_, own_)) return false;
  lists_.suppose(plan_.lead, s);
  ++nodes;
  ScalePlaces why;
  const bool done = plan_.steps.empty() ? agrees_(why) : descend(0, nullptr, nodes, why);
  if (!done) lists_.suppose(plan_.lead, 0.0F);
  return done;
}

bool ScaleDescent::descend(size_t depth, const ScaleCandidates* known, uint64_t& nodes,
                           ScalePlaces& why) {
  if (nodes > kMostNodes) {
    why = ScalePlaces::all();
    return false;
  }
  if (const ScalePlaces* vain = vain_.find(depth)) {
    why = *vain;
    return false;
  }
  const uint64_t before = nodes;
  const bool done = known != nullptr
                        ? try_all(depth, *known, nodes, why)
                        : try_all(depth, followers(plan_.steps[depth], index_, lists_), nodes, why);
  constexpr uint64_t kWorth = 16;  // less is tried again sooner than it is found
  if (!done && nodes - before >= kWorth) vain_.add(depth, why);
  return done;
}

// Where all that comes after this step is in vain whatever the scale of its tensor is, the next one
// of these is, too.
bool ScaleDescent::try_all(size_t depth, const ScaleCandidates& candidates, uint64_t& nodes,
                           ScalePlaces& why) {
  const size_t tensor = plan_.steps[depth].tensor, place = depth + 1;
  why = plan_.followed[depth];
  for (const float s : candidates) {
    if (!lists_.listed(tensor, s)) continue;
    ++nodes;
    lists_.suppose(tensor, s);
    ScalePlaces later;
    if (try_one(place, s, nodes, later)) return true;
    lists_.suppose(tensor, 0.0F);
    if (!later.has(place)) {
      why = later;
      return false;
    }
    why = why.with(later.without(place));
  }
  return false;
}

// What rarely follows is asked before the scale's own conditions.
bool ScaleDescent::try_one(size_t place, float s, uint64_t& nodes, ScalePlaces& why) {
  const bool last = place == plan_.steps.size();
  if (!last && plan_.rare[place]) {
    const ScaleCandidates next = followers(plan_.steps[place], index_, lists_);
    if (next.empty()) {
      why = plan_.followed[place];
      return false;
    }
    return allows(place, s, why) && descend(place, &next, nodes, why);
  }
  if (!allows(place, s, why)) return false;
  return last ? agrees_(why) : descend(place, nullptr, nodes, why);
}

bool ScaleDescent::allows(size_t place, float s, ScalePlaces& why) const {
  why = ScalePlaces(place);
  if (!own_.allow(plan_.tensors[place], s)) return false;
  const size_t miss = first_miss(plan_.checks[place], s, lists_, own_);
  if (miss == kNoMiss) return true;
  why = why.with(plan_.checked[place - 1][miss]);
  return false;
}

}  // namespace edgetwin::edgetpu
