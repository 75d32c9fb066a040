#include "targets/edgetpu/decompile/scales/scale_solver.h"

#include <algorithm>
#include <set>

#include "targets/edgetpu/decompile/scales/scale_search.h"

namespace edgetwin::edgetpu {
namespace {

// The order in which groups of tensors are decided.
class Solver {
 public:
  Solver(const ScaleProblem& problem, const ScaleOptions& options)
      : p_(problem),
        index_(problem),
        order_(index_),
        lists_(index_),
        search_(index_, lists_, options) {}

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
    const size_t lead = order_.lead_of(group, lists_);
    search_.begin(lead, order_.plan(group, lead, lists_));
    bool found = false;
    for (int allowed = 0; allowed <= ScaleSearch::kMostMisses && search_.patient(); ++allowed) {
      found = search_.find(allowed);
      if (found) break;
      if (allowed == 0 && (doubt(group) || to_the_front(group.front()))) return false;
    }
    if (!found) search_.take_any();
    lists_.settle();
    return true;
  }

  static constexpr float kRelu6Scale = 6.0F / 255.0F;
  static constexpr size_t kMostMoves = 12;

  const ScaleProblem& p_;
  const ScaleIndex index_;
  const ScaleOrder order_;
  ScaleLists lists_;
  ScaleSearch search_;
  std::vector<size_t> assumed_;  // tensors taken for RELU6
  std::set<size_t> doubted_;     // of them: they are not
  std::vector<size_t> first_;    // tensors whose groups are decided before all others
};

}  // namespace

std::vector<float> solve_scales(const ScaleProblem& problem, const ScaleOptions& options) {
  return Solver(problem, options).run();
}

}  // namespace edgetwin::edgetpu
