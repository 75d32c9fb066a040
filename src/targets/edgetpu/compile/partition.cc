#include "targets/edgetpu/compile/partition.h"

#include <algorithm>
#include <map>
#include <utility>

#include "targets/edgetpu/compile/order.h"
#include "targets/edgetpu/forms/forms.h"

namespace edgetwin::edgetpu::compiler {
namespace {

class Partitioner {
 public:
  Partitioner(const Graph& graph, Style style, const Occupied& before, size_t set)
      : source_(graph, style), before_(before), first_set_(set) {}

  // In the order of the file; where that leaves operators of the host between those of the chip, in
  // one that brings these together, if that is better.
  Partition run() {
    const Graph& g = source_.graph;
    for (size_t k = 0; k < g.ops.size(); ++k) alone_.push_back(alone(k));
    if (source_.style == Style::vendor) return in_one_group();
    Partition best = in_order(order_of_file(g));
    constexpr int kMostTries = 3;  // what turns out to stay on the host changes the order
    for (int n = 0; n < kMostTries && best.groups.size() > 1; ++n) {
      std::vector<size_t> order = order_by_side(g, sides(best));
      if (order == best.order) break;
      Partition next = in_order(std::move(order));
      if (!better(next, best)) break;
      best = std::move(next);
    }
    return best;
  }

 private:
  // As the vendor's compiler does: all that needs nothing of the host but what comes first.
  Partition in_one_group() {
    const Graph& g = source_.graph;
    Partition made;
    for (bool more = true; more;) {
      leave_as_vendor(g, alone_);
      made = in_order(order_by_side(g, sides_of(alone_)));
      if (made.groups.size() < 2) break;
      more = false;
      for (const Assignment& a : made.ops) {
        if (!a.refusal || alone_[a.op] || a.refusal->rule == Rule::too_little) continue;
        alone_[a.op] = a.refusal;
        more = true;
      }
    }
    return made;
  }
  std::vector<Side> sides_of(const std::vector<std::optional<Refusal>>& all) const {
    std::vector<Side> made;
    for (size_t k = 0; k < all.size(); ++k) {
      made.push_back(all[k] ? Side::host : trivial(k) ? Side::either : Side::chip);
    }
    return made;
  }
  Partition in_order(std::vector<size_t> order) {
    order_ = std::move(order);
    refusal_ = alone_;
    groups_.clear();
    befores_.clear();
    occupied_ = before_;
    set_ = first_set_;
    const size_t n = order_.size();
    for (size_t begin = 0; begin < n;) {
      if (why(begin)) {
        ++begin;
        continue;
      }
      size_t end = begin;
      while (end < n && !why(end)) ++end;
      divide(begin, end);
      begin = end;
    }
    settle_last();
    return finish();
  }
  std::vector<Side> sides(const Partition& p) const {
    std::vector<Side> all;
    for (const Assignment& a : p.ops) {
      const bool host = a.refusal && a.refusal->rule != Rule::too_little;
      all.push_back(host ? Side::host : trivial(a.op) ? Side::either : Side::chip);
    }
    return all;
  }
  static bool better(const Partition& a, const Partition& b) {
    const auto on_chip = [](const Partition& p) {
      return std::ranges::count_if(p.ops, [](const Assignment& x) { return x.group >= 0; });
    };
    if (on_chip(a) != on_chip(b)) return on_chip(a) > on_chip(b);
    return a.groups.size() < b.groups.size();
  }

  // Of operators by their place in the order.
  const std::optional<Refusal>& why(size_t place) const { return refusal_[order_[place]]; }
  Segment segment(size_t begin, size_t end) const {
    return segment_of(source_.graph, std::span(order_).subspan(begin, end - begin));
  }
  const std::optional<Refusal>& fits(size_t begin, size_t end) const {
    return fits(segment(begin, end));
  }
  // Another order of the operators asks for many of the same runs again.
  const std::optional<Refusal>& fits(const Segment& segment) const {
    const auto [known, fresh] = tried_.try_emplace(segment.ops);
    if (fresh) {
      auto result = compile_segment(source_, segment, true);
      if (auto* refusal = std::get_if<Refusal>(&result)) known->second = std::move(*refusal);
    }
    return known->second;
  }
  std::optional<Refusal> alone(size_t k) const {
    if (auto r = refused(source_, k)) return r;
    if (trivial(k)) return std::nullopt;
    const auto& r = fits(segment_of(source_.graph, std::span(&k, 1)));
    // What does not fit by itself may do so in bands, with others.
    const bool open = r && (r->at_edge || r->too_large || r->rule == Rule::narrow_memory);
    return open ? std::nullopt : r;
  }
  // Without instructions of its own.
  bool trivial(size_t k) const {
    const Op& op = source_.graph.ops[k];
    return changes_nothing(source_.graph, op) || space_pad(source_.graph, op).has_value();
  }
  bool idle(size_t begin, size_t end) const {
    for (size_t k = begin; k < end; ++k) {
      if (!trivial(order_[k])) return false;
    }
    return true;
  }
  void leave(size_t place, Refusal refusal) {
    const size_t k = order_[place];
    refusal.op = k;
    refusal_[k] = std::move(refusal);
  }

  // Whether no operator from this place on is for the chip.
  bool none_from(size_t place) const {
    for (size_t k = place; k < order_.size(); ++k) {
      if (!why(k)) return false;
    }
    return true;
  }

  // What leaves a run that ends there.
  int64_t bytes_after(size_t begin, size_t end) const {
    return elements_of(source_.graph, segment(begin, end).outputs);
  }
  // The next shorter run to try, whose end is below `below`, which becomes the limit of the one
  // after it. Of many operators only one of each window of ends, that which the fewest bytes leave:
  // where it does not fit, its neighbours hardly do. Their number is chosen.
  size_t shorter(size_t begin, size_t& below, size_t most) const {
    constexpr size_t kWindows = 32;
    const size_t window = std::max<size_t>(1, (most - begin) / kWindows);
    const size_t lowest = below - begin > window ? below - window : begin;
    size_t best = std::exchange(below, std::max(lowest, begin)) - 1;
    if (window == 1 || best == begin) return best;
    int64_t fewest = bytes_after(begin, best);
    for (size_t k = best - 1; k >= lowest && k > begin; --k) {
      const int64_t bytes = bytes_after(begin, k);
      if (bytes < fewest) best = k, fewest = bytes;
    }
    return best;
  }

  // The end of the longest run that fits, else `begin`, and what is against a longer one. What has
  // no room at some operator has none in most runs that go on after it.
  size_t longest(size_t begin, size_t end, std::optional<Refusal>& why) const {
    size_t good = end, bad = end + 1, below = end;
    while (good > begin) {
      const auto& r = fits(begin, good);
      if (!r) break;
      bad = good;
      const auto found = std::ranges::find(order_, r->op);
      const auto after = static_cast<size_t>(found - order_.begin()) + 1;
      why = r;
      if (after > begin && after < below) {
        good = below = after;
      } else if (below > begin) {
        good = shorter(begin, below, end);
      } else {
        good = begin;
      }
    }
    while (good > begin && bad - good > 1) {
      const size_t middle = good + (bad - good) / 2;
      const auto& r = fits(begin, middle);
      (r ? bad : good) = middle;
      if (r) why = r;
    }
    return good;
  }

  // What goes over USB around a run that ends at `end`, and the next one up to `next`.
  int64_t bytes_between(size_t begin, size_t end, size_t next) const {
    return bytes_of_runs(source_.graph, segment(begin, end), segment(end, next));
  }
  // Memory ends a run at `good`: an earlier end, where that saves bytes and the next run goes as
  // far.
  size_t better_end(size_t begin, size_t good, size_t end) const {
    constexpr size_t kMostTries = 6;
    std::optional<Refusal> ignored;
    const size_t next = good < end ? longest(good, end, ignored) : good;
    if (next == good) return good;
    std::vector<std::pair<int64_t, size_t>> ends;
    const int64_t most = bytes_between(begin, good, next);
    for (size_t k = begin + 1; k < good; ++k) {
      const int64_t bytes = bytes_between(begin, k, next);
      if (bytes < most && !idle(begin, k)) ends.emplace_back(bytes, k);
    }
    std::ranges::sort(ends);
    ends.resize(std::min(ends.size(), kMostTries));
    const auto both = [&](const auto& e) {
      return !fits(begin, e.second) && !fits(e.second, next);
    };
    const auto found = std::ranges::find_if(ends, both);
    return found == ends.end() ? good : found->second;
  }

  // The longest runs that fit, from the front.
  void divide(size_t begin, size_t end) {
    while (begin < end) {
      if (idle(begin, end)) {
        for (size_t k = begin; k < end; ++k) {
          leave(k, {Rule::too_little, 0, "nothing beside it is computed on the chip"});
        }
        return;
      }
      std::optional<Refusal> why;
      size_t good = longest(begin, end, why);
      if (good > begin) good = better_end(begin, good, end);
      if (good == begin) {
        leave(begin, why.value_or(Refusal{}));
        ++begin;
        continue;
      }
      if (idle(begin, good)) {
        leave(begin, {Rule::too_little, 0, "nothing beside it is computed on the chip"});
        ++begin;
        continue;
      }
      const size_t made = make(begin, good);
      begin = made == good ? good : made + 1;
    }
  }

  // The operators as one program. Gives `end`; where an instruction of one of them has an unknown
  // form, that one, which stays on the host: those before it are made, those after it are not.
  size_t make(size_t begin, size_t end) {
    CompiledGroup group;
    group.segment = segment(begin, end);
    group.set = set_;
    occupied_.last = !occupied_.even && none_from(end);
    Occupied before = occupied_;
    auto result = compile_segment(source_, group.segment, false, before);
    if (std::holds_alternative<Refusal>(result)) {
      // Not beside those before it: every inference loads the parameters of both sets again.
      before = {};
      result = compile_segment(source_, group.segment, false, before);
      ++group.set;
    }
    if (const auto* refusal = std::get_if<Refusal>(&result)) {
      leave(begin, *refusal);
      return begin;
    }
    group.compiled = std::move(std::get<CompiledSegment>(result));
    if (auto refusal = unknown_form(group.compiled)) {
      const auto found = std::ranges::find(order_, refusal->op);
      const auto place = static_cast<size_t>(found - order_.begin());
      leave(place, std::move(*refusal));
      divide(begin, place);
      return place;
    }
    group.package = package_of(source_.graph, group.compiled);
    occupied_ = group.compiled.occupied;
    set_ = group.set;
    groups_.push_back(std::move(group));
    befores_.push_back(before);
    return end;
  }

  // Whether parameters come after a program's own was not known: the last ones are made again.
  void settle_last() {
    bool last = !occupied_.even;
    for (size_t n = groups_.size(); last && n-- > 0;) {
      CompiledGroup& g = groups_[n];
      last = g.compiled.parameters.empty();
      if (befores_[n].last) continue;
      befores_[n].last = true;
      auto result = compile_segment(source_, g.segment, false, befores_[n]);
      auto* made = std::get_if<CompiledSegment>(&result);
      if (made == nullptr || unknown_form(*made)) continue;
      g.compiled = std::move(*made);
      g.package = package_of(source_.graph, g.compiled);
    }
  }

  static std::optional<Refusal> unknown_form(const CompiledSegment& s) {
    for (const Instruction& i : parse(s.run.data).instructions) {
      if (forms::is_known_coarse(i)) continue;
      Refusal refusal{Rule::form, 0, ""};
      for (const auto& [byte, op] : s.op_at) {
        if (byte <= i.word * kWordBytes) refusal.op = op;
      }
      refusal.message = "its " + std::string(i.info->name) + " would have the form '" +
                        forms::coarse_form_of(i) + "'";
      return refusal;
    }
    return std::nullopt;
  }

  Partition finish() {
    Partition p;
    p.groups = std::move(groups_);
    p.order = order_;
    for (size_t k = 0; k < refusal_.size(); ++k) p.ops.push_back({k, -1, refusal_[k]});
    for (size_t g = 0; g < p.groups.size(); ++g) {
      for (const size_t k : p.groups[g].segment.ops) p.ops[k].group = static_cast<int>(g);
    }
    return p;
  }

  compiler::Source source_;
  Occupied before_;
  size_t first_set_ = 0;
  std::vector<std::optional<Refusal>> alone_;
  mutable std::map<std::vector<size_t>, std::optional<Refusal>> tried_;  // by operators
  // Of one order.
  std::vector<size_t> order_;
  std::vector<std::optional<Refusal>> refusal_;
  std::vector<CompiledGroup> groups_;
  std::vector<Occupied> befores_;  // what those before each of them have of wide memory
  Occupied occupied_;
  size_t set_ = 0;
};

}  // namespace

Partition partition_beside(const Graph& graph, Style style, const Occupied& before, size_t set) {
  return Partitioner(graph, style, before, set).run();
}

}  // namespace edgetwin::edgetpu::compiler
