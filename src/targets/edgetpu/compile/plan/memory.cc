#include "targets/edgetpu/compile/plan/memory.h"

#include <algorithm>
#include <numeric>

namespace edgetwin::edgetpu::compiler {

int64_t place_regions(std::vector<Region>& regions) {
  std::vector<Region*> order;
  for (Region& r : regions) order.push_back(&r);
  std::stable_sort(order.begin(), order.end(), [](const Region* a, const Region* b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->first < b->first;
  });
  std::vector<const Region*> placed;
  int64_t most = 0;
  for (Region* r : order) {
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
    most = std::max(most, at + r->bytes);
    placed.push_back(r);
  }
  return most;
}

std::optional<int64_t> Residence::same_line(int64_t blocks, int64_t lines) {
  const auto end = used_.begin() + std::min<int64_t>(blocks, 16);
  const int64_t line = *std::max_element(used_.begin(), end);
  if (line + lines > lines_) return std::nullopt;
  std::fill(used_.begin(), end, line + lines);
  return line;
}

std::optional<std::vector<Piece>> Residence::anywhere(int64_t lines, bool whole) {
  std::vector<Piece> pieces;
  while (lines > 0) {
    const auto tile = std::min_element(used_.begin(), used_.end());
    const int64_t n = std::min(lines, lines_ - *tile);
    if (n <= 0 || (whole && n < lines)) return std::nullopt;
    pieces.push_back({static_cast<int>(tile - used_.begin()), *tile, n});
    *tile += n;
    lines -= n;
  }
  return pieces;
}

int64_t Residence::used() const { return std::accumulate(used_.begin(), used_.end(), int64_t{0}); }

}  // namespace edgetwin::edgetpu::compiler
