// Placing tensors with known lifetimes in one block of memory.
#pragma once

#include <cstdint>
#include <vector>

namespace edgetwin::exec {

// Alive from step `first` to step `last`, both included.
struct Lifetime {
  int64_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct ArenaLayout {
  std::vector<int64_t> offsets;  // by lifetime, multiples of kArenaAlignment
  int64_t bytes = 0;
};

inline constexpr int64_t kArenaAlignment = 64;

// Two lifetimes that share a step never share a byte. Larger ones are placed first, each at the
// lowest offset where it fits (greedy by size); deterministic.
ArenaLayout place(const std::vector<Lifetime>& lifetimes);

// The largest sum of sizes alive at one step: no layout can be smaller.
int64_t lower_bound(const std::vector<Lifetime>& lifetimes);

}  // namespace edgetwin::exec
