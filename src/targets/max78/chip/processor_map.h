// Sets of processors, one bit each.
#pragma once

#include <cstdint>

namespace edgetwin::max78 {

inline int lowest_bit(uint64_t map) { return map == 0 ? 0 : __builtin_ctzll(map); }
inline int highest_bit(uint64_t map) { return map == 0 ? -1 : 63 - __builtin_clzll(map); }
inline int count_bits(uint64_t map) { return __builtin_popcountll(map); }
inline bool in_map(uint64_t map, int p) { return ((map >> p) & 1) != 0; }
inline uint32_t group_bits(uint64_t map, int g) {
  return static_cast<uint32_t>((map >> (16 * g)) & 0xffffU);
}

}  // namespace edgetwin::max78
