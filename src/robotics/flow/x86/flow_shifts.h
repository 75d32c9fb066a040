// Sums of shifts over the registers of one instruction set: Lanes, which comes before this file.
// Nothing of the standard library: what it has inline would be compiled for that set, and may be
// the copy that the linker keeps for all.
#pragma once

#include "robotics/flow/x86/flow_tables.h"

namespace edgetwin::robotics::EDGETWIN_ISA_NAMESPACE {

// `kCount` shifts at once, so that every piece of b is loaded once; their sums stay in registers
// for `between` rows.
template <size_t kCount>
void dot_some(const Shifts& s, size_t first, size_t between) {
  int64_t sums[kCount] = {};
  for (size_t r = 0; r < s.rows;) {
    const size_t end = s.rows - r < between ? s.rows : r + between;
    Lanes lanes[kCount];
    for (size_t k = 0; k < kCount; ++k) lanes[k] = Lanes::zero();
    for (; r < end; ++r) {
      const int16_t* a = s.a + r * s.a_row + first * s.step;
      const int16_t* b = s.b + r * s.b_row;
      for (size_t i = 0; i < s.length; i += Lanes::kCount) {
        const Lanes piece = Lanes::load(b + i);
#pragma GCC unroll 9
        for (size_t k = 0; k < kCount; ++k) {
          lanes[k].add_products(piece, Lanes::load(a + i + k * s.step));
        }
      }
    }
    for (size_t k = 0; k < kCount; ++k) sums[k] += lanes[k].sum();
  }
  for (size_t k = 0; k < kCount; ++k) s.sums[first + k] = sums[k];
}

inline void dot_all(const Shifts& s, size_t between) {
  size_t k = 0;
  for (; k + 9 <= s.count; k += 9) dot_some<9>(s, k, between);
  for (; k + 3 <= s.count; k += 3) dot_some<3>(s, k, between);
  for (; k < s.count; ++k) dot_some<1>(s, k, between);
}

}  // namespace edgetwin::robotics::EDGETWIN_ISA_NAMESPACE
