#include "targets/edgetpu/decompile/scales/scale_order.h"

#include <algorithm>
#include <functional>

namespace edgetwin::edgetpu {
namespace {

// Weights of a sum that are a fraction of small numbers stand for many quotients: one operand does
// not follow from the other as long as another law may tell it.
bool is_loose(const ScaleLaw& law, size_t unknown, bool out_known) {
  constexpr double kTight = 24 * 0x1p-24;
  if (law.kind != ScaleLawKind::sum || unknown == law.out) return false;
  if (unknown == law.in && out_known) return false;
  return law.high > 0.0 && law.high - law.low > kTight * law.high;
}

}  // namespace

ScaleGroup ScaleOrder::coupled(size_t t, const ScaleLists& lists) const {
  ScaleGroup group{t};
  for (size_t i = 0; i < group.size(); ++i) {
    for (const size_t l : index_.laws[group[i]]) {
      const ScaleLaw& law = index_.problem.laws[l];
      if (!couples(law) || lists.broken(l)) continue;
      for (const size_t n : {law.in, law.second, law.out}) {
        if (n == kNoTensor || lists.decided(n)) continue;
        if (std::find(group.begin(), group.end(), n) == group.end()) group.push_back(n);
      }
    }
  }
  std::sort(group.begin(), group.end());
  return group;
}

size_t ScaleOrder::lead_of(const ScaleGroup& group, const ScaleLists& lists) const {
  size_t best = kNoTensor;
  for (const size_t t : group) {
    if (lists.of(t).empty()) continue;
    if (best == kNoTensor || lists.of(t).size() < lists.of(best).size()) best = t;
  }
  if (best != kNoTensor) return best;
  for (size_t l = index_.problem.laws.size(); l-- > 0;) {
    const ScaleLaw& law = index_.problem.laws[l];
    if (!couples(law) || law.out == kNoTensor) continue;
    if (std::binary_search(group.begin(), group.end(), law.out)) return law.out;
  }
  return group.front();
}

std::vector<ScaleOrder::Step> ScaleOrder::plan(const ScaleGroup& group, size_t lead,
                                               const ScaleLists& lists) const {
  std::vector<size_t> laws;
  for (const size_t t : group) {
    for (const size_t l : index_.laws[t]) {
      if (couples(index_.problem.laws[l]) && !lists.broken(l)) laws.push_back(l);
    }
  }
  // Results before operands: the last laws first.
  std::sort(laws.begin(), laws.end(), std::greater<>());
  laws.erase(std::unique(laws.begin(), laws.end()), laws.end());
  std::set<size_t> known{lead};
  std::vector<Step> steps;
  while (const auto step = next_step(laws, known, lists)) {
    known.insert(step->tensor);
    steps.push_back(*step);
  }
  return steps;
}

std::optional<ScaleOrder::Step> ScaleOrder::next_step(const std::vector<size_t>& laws,
                                                      const std::set<size_t>& known,
                                                      const ScaleLists& lists) const {
  const auto any = [&](size_t t) {
    return t != kNoTensor && (known.contains(t) || lists.decided(t)) ? 1.0F : 0.0F;
  };
  std::optional<Step> loose;
  for (const size_t l : laws) {
    const ScaleLaw& law = index_.problem.laws[l];
    for (const size_t t : {law.in, law.second, law.out}) {
      if (t == kNoTensor || any(t) != 0.0F) continue;
      if (estimate(law, t, any(law.in), any(law.second), any(law.out)) == 0.0F) continue;
      if (!is_loose(law, t, any(law.out) != 0.0F)) return Step{l, t};
      if (!loose) loose = Step{l, t};
    }
  }
  return loose;
}

}  // namespace edgetwin::edgetpu
