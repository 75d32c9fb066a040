#include "tensor/shape_advice.h"

#include <gtest/gtest.h>

namespace edgetwin {
namespace {

TEST(ShapeAdvice, NamesTheOrderOfAxes) {
  EXPECT_EQ(
      shape_advice({1, 6, 16, 14}, {1, 16, 14, 6}),
      "The axes are in another order; the channels are last here: np.transpose(a, (0, 2, 3, 1)).");
  EXPECT_EQ(
      shape_advice({1, 16, 14, 6}, {1, 6, 16, 14}),
      "The axes are in another order; the channels are first here: np.transpose(a, (0, 3, 1, 2)).");
}

TEST(ShapeAdvice, NamesSamplesOneAfterTheOther) {
  EXPECT_EQ(shape_advice({4, 1, 16, 14, 6}, {1, 16, 14, 6}),
            "The array holds 4 samples, and one is taken at a time: give a[0].");
  EXPECT_EQ(shape_advice({4, 16, 14, 6}, {1, 16, 14, 6}),
            "The array holds 4 samples, and one is taken at a time: give a[0:1].");
  EXPECT_EQ(
      shape_advice({4, 1, 6, 16, 14}, {1, 16, 14, 6}),
      "The array holds 4 samples, and one is taken at a time: give a[0]; the channels are last "
      "here: np.transpose(a, (0, 2, 3, 1)).");
}

TEST(ShapeAdvice, IsSilentWhereTheShapesSayNothing) {
  EXPECT_EQ(shape_advice({1, 3, 8, 8}, {1, 5, 7, 3}), "");
  EXPECT_EQ(shape_advice({}, {1, 3}), "");
  EXPECT_EQ(shape_advice({3, 7}, {2, 7}), "");
}

}  // namespace
}  // namespace edgetwin
