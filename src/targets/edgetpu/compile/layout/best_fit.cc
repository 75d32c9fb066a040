// Tensors where the vendor's compiler has them when they do not fit by levels. Found on DeepLab
// slim: docs/edgetpu-compiler.md, "Beside the vendor's programs".
#include <algorithm>
#include <optional>

#include "targets/edgetpu/compile/layout/memory.h"

namespace edgetwin::edgetpu::compiler {
namespace {

struct Item {
  Region* region = nullptr;
  int64_t area = 0;  // bytes times operators of its life
};

// The lower end of the smallest gap that has room for it between those that meet it, the one up to
// `limit` among them; nothing: none has.
std::optional<int64_t> best_gap(const Region& r, const std::vector<const Region*>& placed,
                                int64_t limit) {
  std::vector<const Region*> near;
  for (const Region* p : placed) {
    if (p->first <= r.last && r.first <= p->last) near.push_back(p);
  }
  std::ranges::sort(near, {}, &Region::base);
  std::optional<int64_t> best;
  int64_t at = 0, smallest = 0;
  const auto gap_to = [&](int64_t end) {
    const int64_t gap = end - at;
    if (gap < r.bytes || (best && gap >= smallest)) return;
    best = at;
    smallest = gap;
  };
  for (const Region* p : near) {
    if (p->base > at) gap_to(p->base);
    at = std::max(at, p->base + p->bytes);
  }
  gap_to(limit);
  return best;
}

// Gives the place in the order of the first that has no gap; as many as there are: all have.
size_t place_in_gaps(const std::vector<Item>& order, int64_t limit) {
  std::vector<const Region*> placed;
  for (size_t k = 0; k < order.size(); ++k) {
    const auto at = best_gap(*order[k].region, placed, limit);
    if (!at) return k;
    order[k].region->base = *at;
    placed.push_back(order[k].region);
  }
  return order.size();
}

// Where one that found no gap goes: before the first of those that meet it which are at most four
// times as large. Of the numbers from 3.6 to 4.7 each gives the public program. `front`: before
// all.
size_t place_before(const std::vector<Item>& order, size_t failed, bool front) {
  constexpr int64_t kTimes = 4;
  const Item& item = order[failed];
  for (size_t k = 0; k < failed && !front; ++k) {
    const Region& other = *order[k].region;
    const bool meets = other.first <= item.region->last && item.region->first <= other.last;
    if (meets && order[k].area <= kTimes * item.area) return k;
  }
  return 0;
}

// Gives the bytes in use; nothing: it found no places.
std::optional<int64_t> place_again(std::vector<Item> order, int64_t limit, bool front) {
  constexpr int kTrials = 64;
  for (int n = 0; n < kTrials; ++n) {
    const size_t failed = place_in_gaps(order, limit);
    if (failed == order.size()) {
      int64_t top = 0;
      for (const Item& i : order) top = std::max(top, i.region->base + i.region->bytes);
      return top;
    }
    const auto at = order.begin() + static_cast<std::ptrdiff_t>(failed);
    const auto to = static_cast<std::ptrdiff_t>(place_before(order, failed, front));
    std::rotate(order.begin() + to, at, at + 1);
  }
  return std::nullopt;
}

}  // namespace

int64_t place_best_fit(std::vector<Region>& regions, const std::vector<int64_t>& turn,
                       int64_t limit) {
  std::vector<Item> order;
  for (Region& r : regions) {
    const int64_t life = life_of(r, turn);
    order.push_back({&r, r.aside ? 0 : r.bytes * life});
  }
  std::ranges::stable_sort(order, [](const Item& a, const Item& b) {
    return a.area != b.area ? a.area > b.area : a.region->first < b.region->first;
  });
  for (const bool front : {false, true}) {
    if (const auto top = place_again(order, limit, front)) return *top;
  }
  return limit + 1;
}

}  // namespace edgetwin::edgetpu::compiler
