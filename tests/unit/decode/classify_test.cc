#include "decode/classify.h"

#include <gtest/gtest.h>

#include "decode/draw.h"
#include "unit/decode/maps.h"

namespace edgetwin::decode {
namespace {

TEST(Classify, BestClassesInRealNumbersTiesByLowerIndex) {
  const Tensor t = bytes_of("scores", {1, 4}, {10, 30, 30, 20}, 0.5F, 10);
  const auto best = best_classes(t, 3);
  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best[0].index, 1);
  EXPECT_EQ(best[1].index, 2);
  EXPECT_EQ(best[2].index, 3);
  EXPECT_EQ(best[0].score, 10.0);
  EXPECT_EQ(best_classes(t, 9).size(), 4U);
}

TEST(Classify, ALineOfNumbersIsAClassification) {
  EXPECT_TRUE(is_classification(floats("a", {1, 1, 7})));
  EXPECT_FALSE(is_classification(floats("a", {1, 7, 2})));
  EXPECT_FALSE(is_classification(floats("a", {1})));
}

TEST(DrawLines, InTheUpperLeftCorner) {
  const Tensor picture = bytes_of("picture", {60, 80, 3}, {}, 1.0F, 0);
  const auto drawn = draw_lines(picture, {"0.844  cat", "0.070  dog"});
  ASSERT_TRUE(drawn.ok());
  EXPECT_NE(drawn->data[0], std::byte{0});
  EXPECT_EQ(drawn->data[(59 * 80 + 79) * 3], std::byte{0});
  EXPECT_EQ(draw_lines(picture, {})->data, picture.data);
}

}  // namespace
}  // namespace edgetwin::decode
