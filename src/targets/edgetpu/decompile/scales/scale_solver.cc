#include "targets/edgetpu/decompile/scales/scale_solver.h"

#include <algorithm>
#include <map>
#include <set>

#include "targets/edgetpu/decompile/scales/scale_conditions.h"
#include "targets/edgetpu/decompile/scales/scale_order.h"

namespace edgetwin::edgetpu {
namespace {

// Tensors that sums, products and rescaling couple are searched together, depth first; what
// convolutions read and write is tested on the way, against the lists of their other side.
class Solver {
 public:
  Solver(const ScaleProblem& problem, uint32_t tries)
      : p_(problem),
        index_(problem),
        order_(index_),
        lists_(index_),
        own_(index_),
        tries_(tries),
        patience_(uint64_t{64} * tries) {}

  std::vector<float> run() {
    const ScaleLists given = lists_;
    for (;;) {
      assume();
      if (decide_all()) break;
      lists_ = given;
    }
    std::vector<float> result;
    for (size_t t = 0; t < p_.tensors(); ++t) result.push_back(lists_.of(t).front());
    return result;
  }

 private:
  // ---- order
  // Zero at the bottom of the byte: RELU6 as quantizers of trained networks write it, with a scale
  // of 6 / 255. Nothing says so, but where it goes with all laws there is no reason for another.
  void assume() {
    assumed_.clear();
    for (const ScaleLimits& l : p_.limits) {
      const bool relu = l.activation == Activation::relu || l.activation == Activation::relu6;
      if (!relu || l.zero_point != 0 || !lists_.of(l.tensor).empty()) continue;
      if (doubted_.contains(l.tensor)) continue;
      if (lists_.missed_limits(l.tensor, kRelu6Scale) == 0) assumed_.push_back(l.tensor);
    }
    for (size_t before = 0; before != assumed_.size();) {
      before = assumed_.size();
      for (const size_t t : assumed_) lists_.suppose(t, kRelu6Scale);
      const ScaleLists with = lists_.shortened();
      lists_.forget();
      std::erase_if(assumed_, [&](size_t t) {
        return std::any_of(index_.laws[t].begin(), index_.laws[t].end(),
                           [&](size_t l) { return with.broken(l) && !lists_.broken(l); });
      });
    }
    std::erase_if(assumed_, [&](size_t t) { return lists_.misses(t, kRelu6Scale, 1) > 0; });
    for (const size_t t : assumed_) lists_.suppose(t, kRelu6Scale);
    lists_.settle();
  }

  // False: something was moved to the front, or is not assumed any more; begin again.
  bool decide_all() {
    for (const size_t t : first_) {
      if (!lists_.decided(t) && !decide(order_.coupled(t, lists_))) return false;
    }
    // The most coupled first, then those that are nearly decided, then what nothing holds.
    for (const int round : {0, 1, 2}) {
      for (size_t t = 0; t < p_.tensors(); ++t) {
        while (!lists_.decided(t)) {
          const ScaleGroup group = order_.coupled(t, lists_);
          if (round == 0 && group.size() == 1) break;
          if (round == 1 && lists_.of(t).empty()) break;
          if (!decide(group)) return false;
          if (round < 2) break;
        }
      }
    }
    return true;
  }

  // What was assumed around a group that cannot be decided.
  bool doubt(const ScaleGroup& group) {
    const size_t before = doubted_.size();
    for (const size_t t : group) {
      for (const size_t l : index_.laws[t]) {
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

  // ---- search
  // False: begin again in another order.
  bool decide(const ScaleGroup& group) {
    own_.update(lists_);
    const size_t lead = order_.lead_of(group, lists_);
    steps_ = order_.plan(group, lead, lists_);
    pools_.clear();
    bool found = false;
    for (allowed_ = 0; allowed_ <= kMostMisses && patience_ > 0; ++allowed_) {
      found = scan(lead);
      if (found) break;
      patience_ -= std::min(patience_, tries_ + kNode * nodes_);
      if (allowed_ == 0 && (doubt(group) || to_the_front(group.front()))) return false;
    }
    if (!found) {
      allowed_ = kAny;
      try_lead(lead, lists_.of(lead).empty() ? kStart : lists_.of(lead).front());
    }
    lists_.settle();
    return true;
  }

  bool scan(size_t lead) {
    nodes_ = 0;
    rejected_ = 0;
    const std::vector<float> list = lists_.of(lead);
    if (!list.empty()) {
      return std::any_of(list.begin(), list.end(), [&](float s) { return try_lead(lead, s); });
    }
    for (uint32_t k = 0; k < tries_ && rejected_ < kMostRejected; ++k) {
      if (try_lead(lead, step_float(kStart, static_cast<int>(k)))) return true;
    }
    return false;
  }

  bool try_lead(size_t lead, float s) {
    if (allowed_ == 0 && !own_.allow(lead, s)) return false;
    const int missed = lists_.misses(lead, s, allowed_ + 1);
    if (missed > allowed_) return false;
    lists_.suppose(lead, s);
    const bool done = descend(0, missed);
    if (!done) lists_.suppose(lead, 0.0F);
    return done;
  }

  bool descend(size_t depth, int missed) {
    if (++nodes_ > kMostNodes && allowed_ <= kMostMisses) return false;
    if (depth == steps_.size()) return agrees();
    const size_t tensor = steps_[depth].tensor;
    const ScaleLaw& law = p_.laws[steps_[depth].law];
    const float in = lists_.single(law.in);
    const float second = lists_.single(law.second);
    const float out = lists_.single(law.out);
    std::vector<float> candidates = derive(law, tensor, in, second, out);
    if (candidates.empty()) {
      if (missed + 1 > allowed_) return false;
      candidates = {estimate(law, tensor, in, second, out)};
    }
    const auto& list = lists_.of(tensor);
    for (const float s : candidates) {
      const bool listed = list.empty() || std::find(list.begin(), list.end(), s) != list.end();
      if (!usable_scale(s) || (!listed && allowed_ <= kMostMisses)) continue;
      if (allowed_ == 0 && !own_.allow(tensor, s)) continue;
      const int more = lists_.misses(tensor, s, allowed_ - missed + 1);
      if (missed > allowed_ - more) continue;
      lists_.suppose(tensor, s);
      if (descend(depth + 1, missed + more)) return true;
      lists_.suppose(tensor, 0.0F);
    }
    return false;
  }

  // Whether the lists around still leave every law something.
  bool agrees() {
    if (allowed_ > kMostMisses) return true;
    const ScaleLists with = lists_.shortened();
    const size_t most = lists_.broken() + static_cast<size_t>(allowed_);
    if (with.broken() <= most && neighbours_possible(with)) return true;
    ++rejected_;
    return false;
  }

  // Whether tensors without a list, that convolutions connect with what was just chosen, still have
  // a scale. Where hundreds of channels meet they have few, or with the wrong choice none.
  bool neighbours_possible(const ScaleLists& with) {
    for (size_t t = 0; t < p_.tensors(); ++t) {
      if (lists_.supposed(t) == 0.0F) continue;
      for (const size_t l : index_.laws[t]) {
        const ScaleLaw& law = p_.laws[l];
        const size_t other = law.out == t ? law.in : law.out;
        if (couples(law) || lists_.broken(l) || other == kNoTensor) continue;
        if (with.of(other).empty() && !possible(other)) return false;
      }
    }
    return true;
  }

  // Whether one of the scales that are possible for `t` by itself goes with what is chosen.
  bool possible(size_t t) {
    // Where little is asked, one of the first will do.
    constexpr uint32_t kFirst = 1024;
    for (uint32_t k = 0; k < std::min(tries_, kFirst); ++k) {
      const float s = step_float(kStart, static_cast<int>(k));
      if (own_.allow(t, s) && lists_.misses(t, s, 1) == 0) return true;
    }
    const std::vector<float>& pool = pool_of(t);
    if (pool.empty() || patience_ == 0) return true;
    for (const float s : pool) {
      if (lists_.misses(t, s, 1) == 0) return true;
    }
    patience_ -= std::min<uint64_t>(patience_, pool.size());
    return false;
  }

  const std::vector<float>& pool_of(size_t t) {
    const auto known = pools_.find(t);
    if (known != pools_.end()) return known->second;
    std::vector<float> supposed = lists_.forget();
    std::vector<float>& pool = pools_[t];
    for (uint32_t k = 0; k < tries_; ++k) {
      const float s = step_float(kStart, static_cast<int>(k));
      if (own_.allow(t, s) && lists_.misses(t, s, 1) == 0) pool.push_back(s);
    }
    lists_.recall(std::move(supposed));
    return pool;
  }

  static constexpr float kStart = 0x1p-6F;
  static constexpr float kRelu6Scale = 6.0F / 255.0F;
  static constexpr int kMostMisses = 3;
  static constexpr int kAny = 1 << 20;
  static constexpr uint64_t kMostNodes = 1U << 26U;
  static constexpr uint64_t kNode = 8;  // a step of the search beside one scale that is tried
  static constexpr int kMostRejected = 4096;
  static constexpr size_t kMostMoves = 12;

  const ScaleProblem& p_;
  const ScaleIndex index_;
  const ScaleOrder order_;
  ScaleLists lists_;
  OwnConditions own_;
  uint32_t tries_;
  std::vector<size_t> assumed_;  // tensors taken for RELU6
  std::set<size_t> doubted_;     // of them: they are not
  std::vector<size_t> first_;    // tensors whose groups are decided before all others
  // Of the group at hand.
  std::vector<ScaleOrder::Step> steps_;
  int allowed_ = 0;
  uint64_t nodes_ = 0;
  int rejected_ = 0;
  std::map<size_t, std::vector<float>> pools_;  // scales of tensors without a list
  uint64_t patience_;                           // how many scales may still be tried in vain
};

}  // namespace

std::vector<float> solve_scales(const ScaleProblem& problem, uint32_t tries) {
  return Solver(problem, tries).run();
}

}  // namespace edgetwin::edgetpu
