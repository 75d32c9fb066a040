#include "exec/arena.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace edgetwin::exec {
namespace {

int64_t aligned(int64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

bool overlap(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

ArenaLayout place(const std::vector<Lifetime>& lifetimes) {
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  ArenaLayout layout;
  layout.offsets.assign(lifetimes.size(), 0);
  std::vector<size_t> placed;  // by offset
  for (const size_t i : order) {
    int64_t offset = 0;
    for (const size_t other : placed) {
      if (!overlap(lifetimes[i], lifetimes[other])) continue;
      if (offset + aligned(lifetimes[i].bytes) <= layout.offsets[other]) break;
      offset = std::max(offset, layout.offsets[other] + aligned(lifetimes[other].bytes));
    }
    layout.offsets[i] = offset;
    layout.bytes = std::max(layout.bytes, offset + aligned(lifetimes[i].bytes));
    const auto at = std::upper_bound(placed.begin(), placed.end(), i, [&](size_t a, size_t b) {
      return layout.offsets[a] < layout.offsets[b];
    });
    placed.insert(at, i);
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
