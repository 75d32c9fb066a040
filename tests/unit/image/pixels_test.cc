#include "image/pixels.h"

#include <gtest/gtest.h>

namespace edgetwin {
namespace {

Tensor rgb(int64_t height, int64_t width, std::vector<uint8_t> bytes) {
  Tensor t;
  t.dtype = DType::uint8;
  t.shape = {height, width, 3};
  for (const uint8_t b : bytes) t.data.push_back(static_cast<std::byte>(b));
  return t;
}

TEST(Pixels, BothGreysAreThoseOfTheirSources) {
  const uint8_t color[] = {200, 100, 50};
  EXPECT_EQ(grey_per_mille(color), 124);
  EXPECT_EQ(grey_pillow(color), 124);
  // 0.114 * 250 is 28.5: a whole tie for the first, 28.4997 for the other.
  const uint8_t blue[] = {0, 0, 250};
  EXPECT_EQ(grey_per_mille(blue), 29);
  EXPECT_EQ(grey_pillow(blue), 28);
}

TEST(Pixels, NearestTakesTheLineBefore) {
  const int64_t wanted[] = {0, 0, 1, 1, 2};
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(nearest_line(i, 3, 5), wanted[i]) << i;
  EXPECT_EQ(nearest_line(1, 10, 4), 2);
}

TEST(Pixels, ScaleHasNoneOneOrOneNumberPerChannel) {
  EXPECT_EQ(PictureScale{}.apply(51.0F, 2), 0.2F);
  const PictureScale one{{1.0F}, {2.0F}};
  EXPECT_EQ(one.apply(7.0F, 2), 3.0F);
  const PictureScale three{{1.0F, 2.0F, 3.0F}, {}};
  EXPECT_EQ(three.apply(3.0F, 2), 0.0F);
  EXPECT_TRUE(one.fits(3) && three.fits(3));
  EXPECT_FALSE(three.fits(1));
}

TEST(Pixels, AViewOfOneChannelIsGrey) {
  const Tensor picture = rgb(1, 2, {200, 100, 50, 0, 0, 255});
  const PixelView grey(picture, 1), color(picture, 3);
  EXPECT_EQ(grey.nearest(0, 0, 0, 1, 2), 124);
  EXPECT_EQ(color.nearest(0, 3, 2, 1, 4), 255);
  // Column 1 of 4 lies at (1 + 0.5) / 2 - 0.5 = 0.25 of the way to the second pixel.
  EXPECT_EQ(color.half_pixel(0, 1, 0, 1, 4), 150.0F);
  EXPECT_EQ(color.half_pixel(0, 0, 0, 1, 4), 200.0F);
}

}  // namespace
}  // namespace edgetwin
