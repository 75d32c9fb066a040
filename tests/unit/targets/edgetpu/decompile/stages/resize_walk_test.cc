#include "targets/edgetpu/decompile/stages/resize_walk.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

TEST(ResizeWalk, PixelsBetweenWhichOutputsLie) {
  // Twice as many, from a quarter of a pixel before the first one on.
  EXPECT_EQ((ResizeAxis{6, 96, 64, 4}.pixels()), (std::vector<int64_t>{0, 1, 2, 3, 4}));
  // Outputs on pixels read nothing beyond the last one.
  EXPECT_EQ((ResizeAxis{3, 0, 64, 4}.pixels()), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ((ResizeAxis{2, 0, 128, 4}.pixels()), (std::vector<int64_t>{0, 1}));
}

TEST(ResizeWalk, WordsOfAllOfThem) {
  ResizeWalk w;
  w.rows = {1, 0, 64, 24};
  w.columns = {3, 0, 64, 8};
  w.words = 2;
  EXPECT_EQ(w.all_words(16), (std::vector<int64_t>{4, 5, 6, 7}));
}

TEST(ResizeWalk, OtherInstructionsHaveNone) {
  const Nest nest;
  EXPECT_FALSE(resize_walk(Instruction{}, nest));
}

}  // namespace
}  // namespace edgetwin::edgetpu
