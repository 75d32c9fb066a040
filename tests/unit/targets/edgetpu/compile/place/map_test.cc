// Borders that neighbours hand on.
#include "targets/edgetpu/compile/place/map.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu::compiler {
namespace {

using Borders = std::array<int64_t, kGrid>;

Axis read_by(int64_t size, const Window& w) {
  Axis axis(size);
  axis.widen(w);
  return axis;
}

// Five rows lie in parts of 2, 1, 1, 1; three results of a window of three with a stride of two:
// the third tile reads the last row and the one after the picture, which the last tile has.
TEST(EdgetpuMap, RowsAfterThePictureAreHandedOn) {
  Axis axis = read_by(5, {.outputs = 3, .kernel = 3, .stride = 2, .front = 1});
  EXPECT_FALSE(axis.by_neighbours());
  ASSERT_TRUE(axis.can_hand_on());
  axis.hand_on();
  EXPECT_EQ(axis.front, (Borders{1, 1, 0, 0}));
  EXPECT_EQ(axis.back, (Borders{0, 1, 2, 1}));
  EXPECT_EQ(axis.need_end(3) - axis.need_begin(3), 0);  // it has no result
}

// The second row of two lies in the third tile: the one between has nothing to hand on.
TEST(EdgetpuMap, NotOverATileWithoutAPart) {
  EXPECT_FALSE(read_by(2, {.outputs = 1, .kernel = 3, .stride = 2, .front = 0}).can_hand_on());
  EXPECT_TRUE(read_by(3, {.outputs = 2, .kernel = 3, .stride = 2, .front = 1}).can_hand_on());
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
