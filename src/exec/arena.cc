#include "exec/arena.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace edgetwin::exec {
namespace {

int64_t aligned(int64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

bool overlap(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

// Lifetimes by the middle step of the range that they cross, ranges halved each time: of a long
// chain only neighbours are looked at, where all pairs would take minutes.
class Crossings {
 public:
  explicit Crossings(const std::vector<Lifetime>& all) : all_(all) {
    for (const Lifetime& l : all) {
      first_ = std::min(first_, l.first);
      last_ = std::max(last_, l.last);
    }
  }

  void add(size_t id) {
    int low = first_, high = last_;
    while (true) {
      const int middle = low + (high - low) / 2;
      const Lifetime& l = all_[id];
      if (l.first <= middle && middle <= l.last) return at_[middle].push_back(id);
      if (low >= high) return at_[middle].push_back(id);  // a lifetime that ends before it begins
      if (l.last < middle)
        high = middle - 1;
      else
        low = middle + 1;
    }
  }

  // Of those that were added the ones that share a step with it.
  void find(const Lifetime& l, std::vector<size_t>& found) const {
    found.clear();
    find(l, first_, last_, found);
  }

 private:
  void find(const Lifetime& l, int low, int high, std::vector<size_t>& found) const {
    if (low > high) return;
    const int middle = low + (high - low) / 2;
    if (const auto here = at_.find(middle); here != at_.end()) {
      for (const size_t id : here->second) {
        if (overlap(l, all_[id])) found.push_back(id);
      }
    }
    if (l.first < middle) find(l, low, middle - 1, found);
    if (l.last > middle) find(l, middle + 1, high, found);
  }

  const std::vector<Lifetime>& all_;
  std::unordered_map<int, std::vector<size_t>> at_;
  int first_ = 0, last_ = 0;
};

}  // namespace

ArenaLayout place(const std::vector<Lifetime>& lifetimes) {
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  ArenaLayout layout;
  layout.offsets.assign(lifetimes.size(), 0);
  Crossings placed(lifetimes);
  std::vector<size_t> beside;
  for (const size_t i : order) {
    int64_t offset = 0;
    placed.find(lifetimes[i], beside);
    std::sort(beside.begin(), beside.end(),
              [&](size_t a, size_t b) { return layout.offsets[a] < layout.offsets[b]; });
    for (const size_t other : beside) {
      if (offset + aligned(lifetimes[i].bytes) <= layout.offsets[other]) break;
      offset = std::max(offset, layout.offsets[other] + aligned(lifetimes[other].bytes));
    }
    layout.offsets[i] = offset;
    layout.bytes = std::max(layout.bytes, offset + aligned(lifetimes[i].bytes));
    placed.add(i);
  }
  return layout;
}

int64_t lower_bound(const std::vector<Lifetime>& lifetimes) {
  std::map<int, int64_t> change;
  for (const Lifetime& l : lifetimes) {
    change[l.first] += l.bytes;
    change[l.last + 1] -= l.bytes;
  }
  int64_t alive = 0;
  int64_t most = 0;
  for (const auto& [step, delta] : change) {
    alive += delta;
    most = std::max(most, alive);
  }
  return most;
}

}  // namespace edgetwin::exec
