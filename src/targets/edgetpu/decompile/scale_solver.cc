#include "targets/edgetpu/decompile/scale_solver.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>

namespace edgetwin::edgetpu {
namespace {

// Each tensor has a short list of scales that are still possible (its choices), or none yet: any
// scale. Laws between lists shorten them. Tensors that sums, products and rescaling couple are
// searched together, depth first; what convolutions read and write is tested on the way, against
// the lists of their other side.
class Solver {
 public:
  Solver(const ScaleProblem& problem, uint32_t tries)
      : p_(problem),
        tries_(tries),
        choices_(problem.tensors()),
        value_(problem.tensors(), 0.0F),
        laws_(problem.tensors()),
        limits_(problem.tensors()),
        broken_(problem.laws.size(), false),
        patience_(uint64_t{64} * tries) {
    for (size_t l = 0; l < p_.laws.size(); ++l) {
      const ScaleLaw& law = p_.laws[l];
      for (const size_t t : {law.in, law.second, law.out}) {
        if (t == kNoTensor) continue;
        if (laws_[t].empty() || laws_[t].back() != l) laws_[t].push_back(l);
      }
    }
    for (size_t l = 0; l < p_.limits.size(); ++l) limits_[p_.limits[l].tensor].push_back(l);
  }

  std::vector<float> run() {
    for (size_t t = 0; t < p_.tensors(); ++t) {
      if (usable_scale(p_.anchors[t])) {
        choices_[t] = {p_.anchors[t]};
      } else {
        choices_[t] = told_by_limits(t);
      }
    }
    settle();
    const Choices given = choices_;
    const std::vector<bool> given_broken = broken_;
    for (;;) {
      assume();
      if (decide_all()) break;
      choices_ = given;
      broken_ = given_broken;
    }
    std::vector<float> result;
    for (const auto& c : choices_) result.push_back(c.front());
    return result;
  }

 private:
  using Choices = std::vector<std::vector<float>>;

  // An upper limit of 6 or 1 tells the scale but for the last bits.
  std::vector<float> told_by_limits(size_t t) const {
    std::vector<float> found;
    for (const size_t l : limits_[t]) {
      const ScaleLimits& limits = p_.limits[l];
      float real = 0.0F;
      if (limits.activation == Activation::relu6) real = 6.0F;
      if (limits.activation == Activation::relu_n1_to_1) real = 1.0F;
      const float guess = real / limits.upper;
      // Where the byte ends before the activation does, its limit tells nothing.
      constexpr float kRounding = 1e-4F;
      const bool cut = limits.upper < static_cast<float>(255 - limits.zero_point) - kRounding;
      if (!usable_scale(guess) || !cut) continue;
      constexpr int kNear = 16;
      for (int u = 0; u <= 2 * kNear; ++u) {
        const float s = step_float(guess, u % 2 == 0 ? -u / 2 : (u + 1) / 2);
        if (missed_limits(t, s) == 0) found.push_back(s);
      }
      return found.empty() ? std::vector<float>{guess} : found;
    }
    return found;
  }

  // Zero at the bottom of the byte: RELU6 as quantizers of trained networks write it, with a scale
  // of 6 / 255. Nothing says so, but where it goes with all laws there is no reason for another.
  void assume() {
    std::vector<size_t>& assumed = assumed_;
    assumed.clear();
    for (const ScaleLimits& l : p_.limits) {
      const bool relu = l.activation == Activation::relu || l.activation == Activation::relu6;
      if (!relu || l.zero_point != 0 || !choices_[l.tensor].empty()) continue;
      if (doubted_.contains(l.tensor)) continue;
      if (missed_limits(l.tensor, kRelu6Scale) == 0) assumed.push_back(l.tensor);
    }
    for (size_t before = 0; before != assumed.size();) {
      before = assumed.size();
      Choices lists = choices_;
      for (const size_t t : assumed) lists[t] = {kRelu6Scale};
      std::vector<bool> broken = broken_;
      shorten(lists, broken);
      std::erase_if(assumed, [&](size_t t) {
        return std::any_of(laws_[t].begin(), laws_[t].end(),
                           [&](size_t l) { return broken[l] && !broken_[l]; });
      });
    }
    for (const size_t t : assumed) {
      if (misses(t, kRelu6Scale, 1) == 0) choices_[t] = {kRelu6Scale};
    }
    settle();
  }

  int missed_limits(size_t t, float s) const {
    int missed = 0;
    for (const size_t l : limits_[t]) missed += holds(p_.limits[l], s) ? 0 : 1;
    return missed;
  }

  // ---- lists
  std::span<const float> options(size_t t) const {
    if (t == kNoTensor) return {};
    if (value_[t] != 0.0F) return {&value_[t], 1};
    return choices_[t];
  }

  float single(size_t t) const {
    const auto o = options(t);
    return o.size() == 1 ? o[0] : 0.0F;
  }

  // Lists that follow from others through one law, as long as there are new ones.
  void settle() {
    shorten(choices_, broken_);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t l = 0; l < p_.laws.size(); ++l) changed = derive_list(l) || changed;
      if (changed) shorten(choices_, broken_);
    }
  }

  bool derive_list(size_t l) {
    const ScaleLaw& law = p_.laws[l];
    if (law.kind == ScaleLawKind::weighted || broken_[l]) return false;
    for (const size_t t : {law.in, law.second, law.out}) {
      if (t == kNoTensor || !choices_[t].empty()) continue;
      std::vector<float> found;
      for (const float s : derive(law, t, single(law.in), single(law.second), single(law.out))) {
        if (misses(t, s, 1) == 0) found.push_back(s);
      }
      if (found.empty()) continue;
      choices_[t] = std::move(found);
      return true;
    }
    return false;
  }

  // Takes out of the lists what no law between lists supports, until nothing changes. A law that
  // would leave nothing cannot hold and is put aside.
  void shorten(Choices& lists, std::vector<bool>& broken) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t l = 0; l < p_.laws.size(); ++l) {
        if (!broken[l]) changed = shorten(l, lists, broken) || changed;
      }
    }
  }

  bool shorten(size_t l, Choices& lists, std::vector<bool>& broken) const {
    const ScaleLaw& law = p_.laws[l];
    static const std::vector<float> kNobody{0.0F};
    const auto list = [&](size_t t) -> const std::vector<float>& {
      return t == kNoTensor || lists[t].empty() ? kNobody : lists[t];
    };
    const auto& in = list(law.in);
    const bool pair = law.kind == ScaleLawKind::sum || law.kind == ScaleLawKind::product;
    const auto& second = pair && law.second != law.in ? list(law.second) : kNobody;
    const auto& out = law.out == law.in ? kNobody : list(law.out);
    if (in.size() * second.size() * out.size() > kMostCombinations) return false;
    std::vector<bool> a(in.size()), b(second.size()), c(out.size());
    for (size_t i = 0; i < in.size(); ++i) {
      for (size_t j = 0; j < second.size(); ++j) {
        for (size_t k = 0; k < out.size(); ++k) {
          if (a[i] && b[j] && c[k]) continue;
          const float s2 = law.second == law.in ? in[i] : second[j];
          if (holds(law, in[i], s2, law.out == law.in ? in[i] : out[k])) a[i] = b[j] = c[k] = true;
        }
      }
    }
    if (std::find(a.begin(), a.end(), true) == a.end()) {
      broken[l] = true;
      return false;
    }
    const bool x = keep(law.in, a, lists);
    const bool y = keep(pair && law.second != law.in ? law.second : kNoTensor, b, lists);
    const bool z = keep(law.out == law.in ? kNoTensor : law.out, c, lists);
    return x || y || z;
  }

  static bool keep(size_t t, const std::vector<bool>& supported, Choices& lists) {
    if (t == kNoTensor || lists[t].empty()) return false;
    std::vector<float> kept;
    for (size_t i = 0; i < supported.size(); ++i) {
      if (supported[i]) kept.push_back(lists[t][i]);
    }
    if (kept.size() == lists[t].size()) return false;
    lists[t] = std::move(kept);
    return true;
  }

  // False: something was moved to the front; begin again.
  bool decide_all() {
    for (const size_t t : first_) {
      if (choices_[t].size() != 1 && !decide(coupled(t))) return false;
    }
    // The most coupled first, then those that are nearly decided, then what nothing holds.
    for (const int round : {0, 1, 2}) {
      for (size_t t = 0; t < p_.tensors(); ++t) {
        while (choices_[t].size() != 1) {
          const std::vector<size_t> group = coupled(t);
          if (round == 0 && group.size() == 1) break;
          if (round == 1 && choices_[t].empty()) break;
          if (!decide(group)) return false;
          if (round < 2) break;
        }
      }
    }
    return true;
  }

  // What was assumed around a group that cannot be decided.
  bool doubt(const std::vector<size_t>& group) {
    const size_t before = doubted_.size();
    for (const size_t t : group) {
      for (const size_t l : laws_[t]) {
        for (const size_t n : {p_.laws[l].in, p_.laws[l].out}) {
          const bool assumed = std::find(assumed_.begin(), assumed_.end(), n) != assumed_.end();
          if (assumed) doubted_.insert(n);
        }
      }
    }
    return doubted_.size() > before;
  }

  // What cannot be decided after others is decided before them.
  bool to_the_front(size_t t) {
    if (first_.size() == kMostMoves || std::count(first_.begin(), first_.end(), t) > 0) {
      return false;
    }
    first_.insert(first_.begin(), t);
    return true;
  }

  // ---- one group
  bool couples(const ScaleLaw& law) const { return law.kind != ScaleLawKind::weighted; }

  // All that laws other than convolutions couple with `t` and that is not decided.
  std::vector<size_t> coupled(size_t t) const {
    std::vector<size_t> group{t};
    for (size_t i = 0; i < group.size(); ++i) {
      for (const size_t l : laws_[group[i]]) {
        const ScaleLaw& law = p_.laws[l];
        if (!couples(law) || broken_[l]) continue;
        for (const size_t n : {law.in, law.second, law.out}) {
          if (n == kNoTensor || choices_[n].size() == 1) continue;
          if (std::find(group.begin(), group.end(), n) == group.end()) group.push_back(n);
        }
      }
    }
    std::sort(group.begin(), group.end());
    return group;
  }

  // What the choice of `s` for `t` makes impossible, counted up to `most`.
  int misses(size_t t, float s, int most) const {
    int missed = missed_limits(t, s);
    for (const size_t l : laws_[t]) {
      if (missed >= most) return missed;
      const ScaleLaw& law = p_.laws[l];
      if (broken_[l]) continue;
      if (!couples(law)) {
        if (!weighted_can_hold(law, t, s)) ++missed;
        continue;
      }
      const auto of = [&](size_t x) { return x == t ? s : x == kNoTensor ? 0.0F : single(x); };
      if (!holds(law, of(law.in), of(law.second), of(law.out))) ++missed;
    }
    return missed;
  }

  bool weighted_can_hold(const ScaleLaw& law, size_t t, float s) const {
    if (law.in == law.out) return holds(law, s, 0.0F, s);
    const bool writes = law.out == t;
    const auto others = options(writes ? law.in : law.out);
    if (others.empty()) return !writes || holds(law, 0.0F, 0.0F, s);
    return std::any_of(others.begin(), others.end(), [&](float other) {
      return writes ? holds(law, other, 0.0F, s) : holds(law, s, 0.0F, other);
    });
  }

  // In which order the others follow from the lead.
  struct Step {
    size_t law = 0, tensor = 0;
  };

  std::vector<Step> plan(const std::vector<size_t>& group, size_t lead) const {
    std::vector<float> known(p_.tensors(), 0.0F);
    for (size_t t = 0; t < p_.tensors(); ++t) known[t] = choices_[t].size() == 1 ? 1.0F : 0.0F;
    known[lead] = 1.0F;
    std::vector<size_t> laws;
    for (const size_t t : group) {
      for (const size_t l : laws_[t]) {
        if (couples(p_.laws[l]) && !broken_[l]) laws.push_back(l);
      }
    }
    // Results before operands: the last laws first.
    std::sort(laws.begin(), laws.end(), std::greater<>());
    laws.erase(std::unique(laws.begin(), laws.end()), laws.end());
    std::vector<Step> steps;
    const auto next = [&]() -> bool {
      for (const size_t l : laws) {
        const ScaleLaw& law = p_.laws[l];
        for (const size_t t : {law.in, law.second, law.out}) {
          if (t == kNoTensor || known[t] != 0.0F) continue;
          const auto of = [&](size_t x) { return x == kNoTensor ? 0.0F : known[x]; };
          if (estimate(law, t, of(law.in), of(law.second), of(law.out)) == 0.0F) continue;
          steps.push_back({l, t});
          known[t] = 1.0F;
          return true;
        }
      }
      return false;
    };
    while (next()) {
    }
    return steps;
  }

  // The tensor with the fewest choices; without any the result of the last sum.
  size_t lead_of(const std::vector<size_t>& group) const {
    size_t best = kNoTensor;
    for (const size_t t : group) {
      if (choices_[t].empty()) continue;
      if (best == kNoTensor || choices_[t].size() < choices_[best].size()) best = t;
    }
    if (best != kNoTensor) return best;
    for (size_t l = p_.laws.size(); l-- > 0;) {
      const ScaleLaw& law = p_.laws[l];
      if (!couples(law) || law.out == kNoTensor) continue;
      if (std::binary_search(group.begin(), group.end(), law.out)) return law.out;
    }
    return group.front();
  }

  bool decide(const std::vector<size_t>& group) {
    const size_t lead = lead_of(group);
    steps_ = plan(group, lead);
    for (allowed_ = 0; allowed_ <= kMostMisses && patience_ > 0; ++allowed_) {
      if (scan(lead)) return take();
      patience_ -= std::min(patience_, tries_ + kNode * nodes_);
      if (allowed_ == 0 && (doubt(group) || to_the_front(group.front()))) {
        pools_.clear();
        return false;
      }
    }
    allowed_ = kAny;
    try_lead(lead, choices_[lead].empty() ? kStart : choices_[lead].front());
    return take();
  }

  bool scan(size_t lead) {
    nodes_ = 0;
    rejected_ = 0;
    if (!choices_[lead].empty()) {
      const auto& list = choices_[lead];
      return std::any_of(list.begin(), list.end(), [&](float s) { return try_lead(lead, s); });
    }
    for (uint32_t k = 0; k < tries_ && rejected_ < kMostRejected; ++k) {
      if (try_lead(lead, step_float(kStart, static_cast<int>(k)))) return true;
    }
    return false;
  }

  bool try_lead(size_t lead, float s) {
    const int missed = misses(lead, s, allowed_ + 1);
    if (missed > allowed_) return false;
    value_[lead] = s;
    const bool done = descend(0, missed);
    if (!done) value_[lead] = 0.0F;
    return done;
  }

  bool descend(size_t depth, int missed) {
    if (++nodes_ > kMostNodes && allowed_ <= kMostMisses) return false;
    if (depth == steps_.size()) return agrees();
    const Step& step = steps_[depth];
    const ScaleLaw& law = p_.laws[step.law];
    const auto of = [&](size_t x) { return x == kNoTensor ? 0.0F : single(x); };
    std::vector<float> candidates =
        derive(law, step.tensor, of(law.in), of(law.second), of(law.out));
    if (candidates.empty()) {
      if (missed + 1 > allowed_) return false;
      candidates = {estimate(law, step.tensor, of(law.in), of(law.second), of(law.out))};
    }
    const auto& list = choices_[step.tensor];
    for (const float s : candidates) {
      if (!usable_scale(s)) continue;
      if (!list.empty() && std::find(list.begin(), list.end(), s) == list.end() &&
          allowed_ <= kMostMisses) {
        continue;
      }
      const int more = misses(step.tensor, s, allowed_ - missed + 1);
      if (missed > allowed_ - more) continue;
      value_[step.tensor] = s;
      if (descend(depth + 1, missed + more)) return true;
      value_[step.tensor] = 0.0F;
    }
    return false;
  }

  // Whether the lists around still leave every law something.
  bool agrees() {
    if (allowed_ > kMostMisses) return true;
    Choices lists = choices_;
    for (size_t t = 0; t < value_.size(); ++t) {
      if (value_[t] != 0.0F) lists[t] = {value_[t]};
    }
    std::vector<bool> broken = broken_;
    shorten(lists, broken);
    const auto count = [](const std::vector<bool>& v) {
      return std::count(v.begin(), v.end(), true);
    };
    if (count(broken) - count(broken_) <= allowed_ && neighbours_possible(lists)) return true;
    ++rejected_;
    return false;
  }

  // Whether tensors without a list, that convolutions connect with what was just chosen, still have
  // a scale. Where hundreds of channels meet they have few, or with the wrong choice none.
  bool neighbours_possible(const Choices& lists) {
    for (size_t t = 0; t < value_.size(); ++t) {
      if (value_[t] == 0.0F) continue;
      for (const size_t l : laws_[t]) {
        const ScaleLaw& law = p_.laws[l];
        const size_t other = law.out == t ? law.in : law.out;
        if (couples(law) || broken_[l] || other == kNoTensor) continue;
        if (lists[other].empty() && value_[other] == 0.0F && !possible(other)) return false;
      }
    }
    return true;
  }

  // Whether one of the scales that are possible for `t` by itself goes with what is chosen.
  bool possible(size_t t) {
    // Where little is asked, one of the first will do.
    constexpr uint32_t kFirst = 1024;
    for (uint32_t k = 0; k < std::min(tries_, kFirst); ++k) {
      if (misses(t, step_float(kStart, static_cast<int>(k)), 1) == 0) return true;
    }
    const std::vector<float>& pool = pool_of(t);
    if (pool.empty() || patience_ == 0) return true;
    for (const float s : pool) {
      if (misses(t, s, 1) == 0) return true;
    }
    patience_ -= std::min<uint64_t>(patience_, pool.size());
    return false;
  }

  const std::vector<float>& pool_of(size_t t) {
    const auto known = pools_.find(t);
    if (known != pools_.end()) return known->second;
    std::vector<float> chosen(value_.size(), 0.0F);
    value_.swap(chosen);
    std::vector<float>& pool = pools_[t];
    for (uint32_t k = 0; k < tries_; ++k) {
      const float s = step_float(kStart, static_cast<int>(k));
      if (misses(t, s, 1) == 0) pool.push_back(s);
    }
    value_.swap(chosen);
    return pool;
  }

  bool take() {
    for (size_t t = 0; t < value_.size(); ++t) {
      if (value_[t] != 0.0F) choices_[t] = {value_[t]};
      value_[t] = 0.0F;
    }
    pools_.clear();
    settle();
    return true;
  }

  static constexpr float kStart = 0x1p-6F;
  static constexpr float kRelu6Scale = 6.0F / 255.0F;
  static constexpr int kMostMisses = 3;
  static constexpr int kAny = 1 << 20;
  static constexpr size_t kMostCombinations = 1U << 14U;
  static constexpr uint64_t kMostNodes = 1U << 26U;
  static constexpr uint64_t kNode = 8;  // a step of the search beside one scale that is tried
  static constexpr int kMostRejected = 4096;
  static constexpr size_t kMostMoves = 12;

  const ScaleProblem& p_;
  uint32_t tries_;
  Choices choices_;                                 // by tensor; empty: any
  std::vector<float> value_;                        // of the search at hand; 0: none
  std::vector<std::vector<size_t>> laws_, limits_;  // by tensor
  std::vector<bool> broken_;                        // laws that cannot hold
  std::vector<size_t> assumed_;                     // tensors taken for RELU6
  std::set<size_t> doubted_;                        // of them: they are not
  std::vector<size_t> first_;  // tensors whose groups are decided before all others
  std::vector<Step> steps_;
  int allowed_ = 0;
  uint64_t nodes_ = 0;
  int rejected_ = 0;
  // By tensor without a list, for the group at hand: scales that are possible.
  std::map<size_t, std::vector<float>> pools_;
  uint64_t patience_;  // how many scales may still be tried in vain
};

}  // namespace

std::vector<float> solve_scales(const ScaleProblem& problem, uint32_t tries) {
  return Solver(problem, tries).run();
}

}  // namespace edgetwin::edgetpu
