#include "targets/edgetpu/decompile/stages/resize_walk.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

// Twice as many rows and columns, of pixels of two words in rows of five.
ResizeWalk twice() {
  ResizeWalk w;
  w.rows = {0, 64, 3, 40};
  w.columns = {64, 64, 4, 8};
  w.start = 80;
  w.words = 2;
  return w;
}

TEST(ResizeWalk, LinesWithAWeight) {
  EXPECT_EQ((ResizeAxis{0, 64, 3, 8}.lines()), 2);   // 0, 1/2, 1
  EXPECT_EQ((ResizeAxis{0, 64, 4, 8}.lines()), 3);   // and 3/2
  EXPECT_EQ((ResizeAxis{96, 64, 4, 8}.lines()), 4);  // 3/4 ... 9/4
  EXPECT_EQ((ResizeAxis{0, 64, 1, 8}.lines()), 1);
}

TEST(ResizeWalk, PlacesRowAfterRow) {
  const std::vector<int64_t> wanted{20, 21, 22, 23, 24, 25, 30, 31, 32, 33, 34, 35};
  EXPECT_EQ(twice().places(), wanted);
}

TEST(ResizeWalk, OtherPlacesAreNone) {
  ResizeWalk w = twice();
  w.columns.pitch = 4;  // pixels that overlap
  EXPECT_TRUE(w.places().empty());
  w = twice();
  w.rows.pitch = 41;  // no words
  EXPECT_TRUE(w.places().empty());
  w = twice();
  w.start = -80;
  EXPECT_TRUE(w.places().empty());
  w = twice();
  w.rows.outputs = w.columns.outputs = int64_t{1} << 40U;
  EXPECT_TRUE(w.places().empty());
}

}  // namespace
}  // namespace edgetwin::edgetpu
