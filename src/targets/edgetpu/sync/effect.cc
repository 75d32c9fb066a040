#include "targets/edgetpu/sync/effect.h"

#include <algorithm>
#include <map>

namespace edgetwin::edgetpu::sync {
namespace {

// A value over places: what it is from a place on.
using Curve = std::map<uint32_t, int64_t>;
using Curves = std::map<uint8_t, Curve>;  // by counter

// What has been counted when so many places are done.
Curves counted(const SidePlan& side) {
  Curves all;
  for (size_t k = 0; k < side.parts(); ++k) {
    for (size_t n = side.count_at[k]; n < side.count_at[k + 1]; ++n) {
      const Count& c = side.counts[n];
      Curve& curve = all[c.counter.number];
      const int64_t before = curve.empty() ? 0 : curve.rbegin()->second;
      curve[side.end[k]] = before + c.n;
    }
  }
  return all;
}

// What the counter must have reached before a place is begun.
Curves asked(const SidePlan& side) {
  Curves all;
  for (size_t k = 0; k < side.parts(); ++k) {
    for (size_t n = side.need_at[k]; n < side.need_at[k + 1]; ++n) {
      const Need& need = side.needs[n];
      Curve& curve = all[need.counter.number];
      const int64_t before = curve.empty() ? need.threshold : curve.rbegin()->second;
      curve[side.begin_of(k)] = std::max<int64_t>(before, need.threshold);
    }
  }
  return all;
}

constexpr int64_t kNothing = -(int64_t{1} << 40U);  // no wait asks for less

int64_t value_at(const Curves& all, uint8_t counter, uint32_t place, int64_t none) {
  const auto curve = all.find(counter);
  if (curve == all.end()) return none;
  const auto behind = curve->second.upper_bound(place);
  return behind == curve->second.begin() ? none : std::prev(behind)->second;
}

// Where either of them changes, second - first.
template <typename Seen>
void differences(const Curves& first, const Curves& second, int64_t none, const Seen& seen) {
  for (const Curves* some : {&first, &second}) {
    for (const auto& [counter, curve] : *some) {
      for (const auto& [place, value] : curve) {
        seen(value_at(second, counter, place, none) - value_at(first, counter, place, none));
      }
    }
  }
}

}  // namespace

Effect effect_of(const StepPlan& before, const StepPlan& after) {
  bool equal = true, sooner = false;
  for (size_t side = 0; side < 2; ++side) {
    differences(counted(before.side[side]), counted(after.side[side]), 0, [&](int64_t more) {
      equal = equal && more == 0;
      sooner = sooner || more > 0;
    });
    differences(asked(before.side[side]), asked(after.side[side]), kNothing, [&](int64_t more) {
      equal = equal && more == 0;
      sooner = sooner || more < 0;
    });
  }
  return equal ? Effect::none : sooner ? Effect::other : Effect::later;
}

}  // namespace edgetwin::edgetpu::sync
