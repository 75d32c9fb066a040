// The layers whose cycles the vendor's own test asserts, one start cycle each.
#include "targets/max78/analysis/cycles.h"

#include <gtest/gtest.h>

namespace edgetwin::max78 {
namespace {

struct AssertedLayer {
  const char* name;
  int64_t cycles, rows, columns, out_columns, pool, kernel, padding, passes, operands, kernels;
  int64_t time_slots = 0;
  bool pool_first = true, flatten = false;
};

constexpr AssertedLayer kAsserted[] = {
    {"64x20x20 max2x2s2p2m16", 3049, 10, 10, 12, 4, 3, 2, 1, 1, 16},
    {"3x65x65 max16x16s4m32", 49010, 13, 13, 13, 256, 3, 1, 1, 1, 32},
    {"3x32x32 s1p1m60", 67981, 32, 32, 32, 1, 3, 1, 1, 1, 64},
    {"3x32x32 s1p0m64", 59773, 32, 32, 30, 1, 3, 0, 1, 1, 64},
    {"3x32x32 2x2s2p0m64", 13885, 16, 16, 14, 4, 3, 0, 1, 1, 64},
    {"128x8x8 2x2s2p1m16", 773, 4, 4, 4, 4, 3, 1, 2, 1, 16},
    {"128x8x8 s1p1m16", 2485, 8, 8, 8, 1, 3, 1, 2, 1, 16},
    {"128x8x8 s1p0m16", 1437, 8, 8, 6, 1, 3, 0, 2, 1, 16},
    {"1x28x28 s1p1m8", 8189, 28, 28, 28, 1, 3, 1, 1, 1, 8},
    {"add 4x12x12", 721, 12, 12, 12, 1, 1, 0, 1, 2, 0, 1},
    {"upscale 3x7x9 m64", 16837, 14, 18, 18, 1, 3, 1, 1, 1, 64},
    {"flatten 12x4x4 m10", 193, 4, 4, 4, 1, 1, 0, 1, 1, 10},
    {"add multipass 4x12x12", 1441, 12, 12, 12, 1, 1, 0, 2, 2, 0, 1},
    {"q4 79x11x11 m1", 687, 11, 11, 9, 1, 3, 0, 2, 1, 1},
    {"add, pool after 8x17x17", 705, 8, 8, 8, 4, 1, 0, 1, 2, 0, 2, false},
    {"flatten 12x8x8 m10", 770, 8, 8, 8, 1, 1, 0, 1, 1, 10, 0, true, true},
    {"1x1x1 p1m1", 29, 1, 1, 1, 1, 3, 1, 1, 1, 1},
    {"flatten 12x1x1 m17", 20, 1, 1, 1, 1, 1, 0, 1, 1, 17},
    {"conv1d dilation 7 5x211 m11", 3062, 31, 7, 7, 1, 3, 1, 1, 1, 11},
};

TEST(Max78Cycles, AssertedLayersAreEqual) {
  for (const AssertedLayer& a : kAsserted) {
    SCOPED_TRACE(a.name);
    LayerShape s;
    s.rows = a.rows;
    s.columns = a.columns;
    s.out_columns = a.out_columns;
    s.pool = a.pool;
    s.kh = s.kw = a.kernel;
    s.ph = s.pw = a.padding;
    s.passes = a.passes;
    s.operands = a.operands;
    s.kernels = a.kernels;
    s.time_slots = a.time_slots;
    s.passthrough = a.time_slots > 0;
    s.pool_first = a.pool_first;
    s.flatten = a.flatten;
    EXPECT_EQ(layer_cycles(s) + 1, a.cycles);
  }
}

}  // namespace
}  // namespace edgetwin::max78
