// Passes of the levels of a traversal, and the parts of an instruction between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "targets/edgetpu/sync/plan.h"

namespace edgetwin::edgetpu::sync {

inline constexpr uint64_t kMostPlaces = uint64_t{1} << 31U;

// Where the passes of a level end, in places.
struct Passes {
  bool single = false;  // every place is one
  std::vector<uint32_t> end;
  uint32_t begin_of(size_t n) const {
    return single ? static_cast<uint32_t>(n) : n == 0 ? 0 : end[n - 1];
  }
  size_t count(uint32_t total) const { return single ? total : end.size(); }
  size_t done(uint32_t places) const {
    if (single) return places;
    return static_cast<size_t>(std::upper_bound(end.begin(), end.end(), places) - end.begin());
  }
  // The last pass that begins before the place.
  size_t last_before(uint32_t place) const {
    if (single) return place - 1;
    const auto found = std::lower_bound(end.begin(), end.end(), place);
    return std::min(static_cast<size_t>(found - end.begin()), end.size() - 1);
  }
};

Passes passes_of(const Generator& g, size_t level);
// Of a loop nest: equal shares of the iterations.
Passes passes_of_loops(const Nest& nest, size_t level, uint32_t iterations);

struct Waits {
  Watcher watcher;
  Passes passes;
};
struct Counts {
  CountProducer producer;
  Passes passes;
};
// Where every place waits or counts, so many are one part.
struct Grain {
  uint32_t waits = 1, counts = 16;
};
// What each part waits for before it begins, and counts behind it.
void make_parts(const std::vector<Waits>& waits, const std::vector<Counts>& counts, uint32_t total,
                const Grain& grain, SidePlan& side);

}  // namespace edgetwin::edgetpu::sync
