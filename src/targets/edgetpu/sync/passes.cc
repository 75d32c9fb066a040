#include "targets/edgetpu/sync/passes.h"

namespace edgetwin::edgetpu::sync {

Passes passes_of(const Generator& g, size_t level) {
  Passes p;
  if (level == 0) {
    p.single = true;
    return p;
  }
  std::array<int64_t, kLoopLevels> index{};
  uint32_t places = 0;
  for (;;) {
    places += static_cast<uint32_t>(g.path.size == 0 ? 1 : g.inner(index));
    size_t k = 1;
    for (; k < g.path.size; ++k) {
      if (++index[k] < g.path.level[k].count) break;
      index[k] = 0;
    }
    const bool last = k >= g.path.size;
    if (last || k >= level) p.end.push_back(places);
    if (last) return p;
  }
}

Passes passes_of_loops(const Nest& nest, size_t level, uint32_t iterations) {
  uint64_t count = 1;
  for (size_t k = level; k < kLoopLevels; ++k) {
    count = std::min(kMostPlaces, count * static_cast<uint64_t>(nest.loop[k]));
  }
  Passes p;
  count = std::min<uint64_t>(count, iterations);
  for (uint64_t n = 1; n <= count; ++n) {
    p.end.push_back(static_cast<uint32_t>((n * iterations + count - 1) / count));
  }
  return p;
}

namespace {

void cut(const std::vector<Waits>& waits, const std::vector<Counts>& counts, uint32_t total,
         const Grain& grain, SidePlan& side) {
  std::vector<uint32_t> ends{total};
  bool single = false;
  for (const Waits& w : waits) {
    single = single || w.passes.single;
    ends.insert(ends.end(), w.passes.end.begin(), w.passes.end.end());
  }
  for (const Counts& c : counts) {
    single = single || c.passes.single;
    ends.insert(ends.end(), c.passes.end.begin(), c.passes.end.end());
  }
  const bool words = std::ranges::any_of(waits, [](const Waits& w) { return w.passes.single; });
  if (single) {
    const uint32_t each = words ? grain.waits : grain.counts;
    for (uint32_t n = each; n < total; n += each) ends.push_back(n);
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  while (!ends.empty() && ends.back() > total) ends.pop_back();
  if (!ends.empty() && ends.front() == 0) ends.erase(ends.begin());
  side.end = std::move(ends);
}

}  // namespace

void make_parts(const std::vector<Waits>& waits, const std::vector<Counts>& counts, uint32_t total,
                const Grain& grain, SidePlan& side) {
  if (total == 0) return;
  cut(waits, counts, total, grain, side);
  for (size_t k = 0; k < side.parts(); ++k) {
    const uint32_t begin = side.begin_of(k);
    const uint32_t end = side.end[k];
    side.need_at.push_back(static_cast<uint32_t>(side.needs.size()));
    side.count_at.push_back(static_cast<uint32_t>(side.counts.size()));
    for (const Waits& w : waits) {
      const size_t last = w.passes.last_before(end);
      if (w.passes.begin_of(last) < begin) continue;  // it has begun before
      const int64_t n = w.watcher.step > 0 ? static_cast<int64_t>(last) : 0;
      side.needs.push_back(
          {w.watcher.counter, static_cast<int32_t>(w.watcher.start + n * w.watcher.step)});
    }
    for (const Counts& c : counts) {
      const size_t n = c.passes.done(end) - c.passes.done(begin);
      if (n != 0) side.counts.push_back({c.producer.counter, static_cast<uint32_t>(n)});
    }
  }
  side.need_at.push_back(static_cast<uint32_t>(side.needs.size()));
  side.count_at.push_back(static_cast<uint32_t>(side.counts.size()));
}

}  // namespace edgetwin::edgetpu::sync
