#include "targets/edgetpu/compile/layout/memory.h"

#include <algorithm>
#include <numeric>

namespace edgetwin::edgetpu::compiler {

namespace {

// Each at the lowest place that is free during its life. Gives the place in `order` of what ends
// highest.
size_t place_in_order(const std::vector<Region*>& order) {
  std::vector<const Region*> placed;
  size_t highest = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    Region* r = order[k];
    std::vector<const Region*> near;
    for (const Region* p : placed) {
      if (p->first <= r->last && r->first <= p->last) near.push_back(p);
    }
    std::sort(near.begin(), near.end(),
              [](const Region* a, const Region* b) { return a->base < b->base; });
    int64_t at = 0;
    for (const Region* p : near) {
      if (at + r->bytes <= p->base) break;
      at = std::max(at, p->base + p->bytes);
    }
    r->base = at;
    const Region& top = *order[highest];
    if (at + r->bytes > top.base + top.bytes) highest = k;
    placed.push_back(r);
  }
  return highest;
}

// Bytes at the step that needs most: no plan takes less.
int64_t least(const std::vector<Region>& regions) {
  const std::vector<int64_t> bytes = bytes_in_use(regions);
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

}  // namespace

std::vector<int64_t> bytes_in_use(const std::vector<Region>& regions) {
  std::vector<int64_t> bytes;  // what begins less what ended, then the sums of it
  for (const Region& r : regions) {
    const auto first = static_cast<size_t>(r.first), end = static_cast<size_t>(r.last) + 1;
    if (end >= bytes.size()) bytes.resize(end + 1, 0);
    bytes[first] += r.bytes, bytes[end] -= r.bytes;
  }
  std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
  return bytes;
}

bool may_fit(const std::vector<Region>& regions, int64_t limit) { return least(regions) <= limit; }

int64_t place_regions(std::vector<Region>& regions, int64_t limit, Aim aim) {
  constexpr int kTrials = 64;
  std::vector<Region*> order;
  for (Region& r : regions) order.push_back(&r);
  if (order.empty()) return 0;
  std::stable_sort(order.begin(), order.end(), [](const Region* a, const Region* b) {
    if (a->aside != b->aside) return b->aside;
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->first < b->first;
  });
  const auto bytes = [&](size_t highest) { return order[highest]->base + order[highest]->bytes; };
  size_t highest = place_in_order(order);
  const int64_t low = least(regions);
  const int64_t enough = aim == Aim::lowest ? low : limit;
  int64_t best = bytes(highest);
  if (best <= enough || low > limit) return best;
  std::vector<Region*> best_order = order;
  for (int n = 0; n < kTrials && best > enough; ++n) {
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(highest),
                order.begin() + static_cast<std::ptrdiff_t>(highest) + 1);
    highest = place_in_order(order);
    if (bytes(highest) >= best) continue;
    best = bytes(highest);
    best_order = order;
  }
  place_in_order(best_order);
  return best;
}

namespace {

bool meet(const Region& a, const Region& b) { return a.first <= b.last && b.first <= a.last; }

// The lowest place that is free during its life.
int64_t lowest_place(const Region& r, const std::vector<const Region*>& placed) {
  std::vector<const Region*> near;
  for (const Region* p : placed) {
    if (meet(*p, r)) near.push_back(p);
  }
  std::ranges::sort(near, {}, &Region::base);
  int64_t at = 0;
  for (const Region* p : near) {
    if (at + r.bytes <= p->base) break;
    at = std::max(at, p->base + p->bytes);
  }
  return at;
}

}  // namespace

namespace {

struct Open {
  Region* region = nullptr;
  bool early = false;  // before all others
  int64_t load = 0;    // bytes that are in use at the fullest step of its life
  int64_t weight = 0;
};

// Gives the one that ends highest.
Region* place_open(std::vector<Open> left) {
  std::vector<const Region*> placed;
  Region* highest = nullptr;
  for (const Open& o : left) o.region->base = o.region->fixed ? o.region->base : 0;
  while (!left.empty()) {
    const auto best = std::ranges::min_element(left, [](const Open& a, const Open& b) {
      if (a.region->aside != b.region->aside) return b.region->aside;
      if (a.region->fixed != b.region->fixed) return a.region->fixed;
      if (a.early != b.early) return a.early;
      if (a.region->base != b.region->base) return a.region->base < b.region->base;
      if (a.region->aside) return a.region < b.region;
      return std::pair(a.load, a.weight) > std::pair(b.load, b.weight);
    });
    Region* r = best->region;
    left.erase(best);
    placed.push_back(r);
    if (highest == nullptr || r->base + r->bytes > highest->base + highest->bytes) highest = r;
    for (const Open& other : left) {
      if (!other.region->fixed && meet(*other.region, *r)) {
        other.region->base = lowest_place(*other.region, placed);
      }
    }
  }
  return highest;
}

}  // namespace

int64_t life_of(const Region& r, const std::vector<int64_t>& turn) {
  const auto turn_of = [&](int64_t step) {
    return turn.empty() ? step : turn[std::min(static_cast<size_t>(step), turn.size() - 1)];
  };
  return turn_of(r.last) - turn_of(r.first) + 1;
}

int64_t place_by_levels(std::vector<Region>& regions, const std::vector<int64_t>& turn,
                        int64_t limit) {
  constexpr int kTrials = 64;
  std::vector<int64_t> loads;
  for (const Region& r : regions) {
    const auto end = static_cast<size_t>(r.last) + 1;
    if (end > loads.size()) loads.resize(end, 0);
    for (auto k = static_cast<size_t>(r.first); k < end; ++k) loads[k] += r.aside ? 0 : r.bytes;
  }
  std::vector<Open> all;
  for (Region& r : regions) {
    const int64_t life = life_of(r, turn);
    const int64_t load = *std::max_element(loads.begin() + r.first, loads.begin() + r.last + 1);
    all.push_back({&r, false, load, r.bytes * life * life});
  }
  int64_t top = 0;
  for (int n = 0; n < kTrials && !all.empty(); ++n) {
    const Region* highest = place_open(all);
    top = highest->base + highest->bytes;
    if (top <= limit) break;
    for (Open& o : all) o.early = o.early || o.region == highest;
  }
  return top;
}

std::optional<int64_t> Residence::same_line(int tile, int64_t blocks, int64_t lines) {
  const auto begin = used_.begin() + tile;
  const auto end = begin + std::min<int64_t>(blocks, 16 - tile);
  const int64_t line = *std::max_element(begin, end);
  if (line + lines > lines_) return std::nullopt;
  std::fill(begin, end, line + lines);
  return line;
}

std::optional<std::vector<Piece>> Residence::anywhere(int64_t lines, bool whole, int64_t most) {
  std::vector<Piece> pieces;
  while (lines > 0) {
    const auto tile = std::min_element(used_.begin(), used_.end());
    const int64_t n = std::min({lines, lines_ - *tile, whole ? lines : most});
    if (n <= 0 || (whole && n < lines)) return std::nullopt;
    pieces.push_back({static_cast<int>(tile - used_.begin()), *tile, n});
    *tile += n;
    lines -= n;
  }
  return pieces;
}

bool Residence::at_next(std::vector<Piece>& pieces) {
  for (Piece& p : pieces) {
    int64_t& used = used_.at(static_cast<size_t>(p.tile));
    p.line = used;
    used += p.lines;
    if (used > lines_) return false;
  }
  return true;
}

int64_t Residence::used() const { return std::accumulate(used_.begin(), used_.end(), int64_t{0}); }

}  // namespace edgetwin::edgetpu::compiler
