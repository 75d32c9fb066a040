#include <algorithm>

#include "image/resize.h"

#include <gtest/gtest.h>

namespace edgetwin {
namespace {

Tensor grey(std::vector<uint8_t> pixels, int64_t height, int64_t width) {
  Tensor t;
  t.dtype = DType::uint8;
  t.shape = {height, width, 1};
  for (const uint8_t p : pixels) t.data.push_back(static_cast<std::byte>(p));
  return t;
}

std::vector<int> levels(const Result<Tensor>& t) {
  std::vector<int> all;
  if (!t.ok()) return {-1};
  for (const std::byte b : t->data) all.push_back(static_cast<int>(b));
  return all;
}

TEST(Resize, HalfPixelCentresTakeEdgesOnceAndCutOff) {
  // Twice as wide: coordinates -0.25, 0.25, 0.75, 1.25; 10.25 and 10.75 are cut off to 10. The
  // first lies before the first pixel: its lower and upper pixel are both the first.
  EXPECT_EQ(levels(resize_half_pixel(grey({10, 11}, 1, 2), 1, 4)),
            (std::vector<int>{10, 10, 10, 11}));
  // Half as wide: in the middle of each pair.
  EXPECT_EQ(levels(resize_half_pixel(grey({0, 10, 20, 31}, 1, 4), 1, 2)),
            (std::vector<int>{5, 25}));
  EXPECT_EQ(levels(resize_half_pixel(grey({0, 100, 50, 150}, 2, 2), 1, 1)), (std::vector<int>{75}));
}

TEST(Resize, TheSameSizeIsTheSamePicture) {
  const std::vector<uint8_t> pixels = {1, 2, 3, 250, 255, 0};
  const std::vector<int> same(pixels.begin(), pixels.end());
  EXPECT_EQ(levels(resize_half_pixel(grey(pixels, 2, 3), 2, 3)), same);
  EXPECT_EQ(levels(resize_smooth(grey(pixels, 2, 3), 2, 3, Filter::lanczos)), same);
}

TEST(Resize, ASmoothWindowGrowsWhenThePictureShrinks) {
  // Scale 4, support 4, centre 2: weights of columns 0 to 5 are 5, 7, 7, 5, 3, 1 of 28 over 8.
  EXPECT_EQ(levels(resize_smooth(grey({0, 0, 0, 0, 0, 0, 0, 0}, 1, 8), 1, 2, Filter::bilinear)),
            (std::vector<int>{0, 0}));
  const double sum = 5 + 7 + 7 + 5 + 3 + 1;
  const int wanted = static_cast<int>(255.0 * (5 + 7 + 7 + 5) / sum + 0.5);
  const auto shrunk =
      levels(resize_smooth(grey({255, 255, 255, 255, 0, 0, 0, 0}, 1, 8), 1, 2, Filter::bilinear));
  ASSERT_EQ(shrunk.size(), 2U);
  EXPECT_EQ(shrunk[0], wanted);
  EXPECT_EQ(shrunk[1], 255 - wanted);
}

TEST(Resize, LanczosOvershootsAndIsHeldInAByte) {
  const auto wide =
      levels(resize_smooth(grey({0, 0, 0, 0, 255, 255, 255, 255}, 1, 8), 1, 16, Filter::lanczos));
  ASSERT_EQ(wide.size(), 16U);
  EXPECT_EQ(*std::min_element(wide.begin(), wide.end()), 0);
  EXPECT_EQ(*std::max_element(wide.begin(), wide.end()), 255);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(wide[i] + wide[15 - i], 255) << i;
}

TEST(Resize, ByName) {
  const std::vector<uint8_t> pixels = {0, 10, 20, 31, 100, 110, 120, 131, 200, 210, 220, 231};
  const Tensor picture = grey(pixels, 3, 4);
  // Rows 0 and 1, columns 0, 1 and 2 of 4 for 3; rows 0, 0, 1, 1, 2, 2 of 3 for 6.
  EXPECT_EQ(levels(resized(picture, 2, 3, Resize::nearest)),
            (std::vector<int>{0, 10, 20, 100, 110, 120}));
  EXPECT_EQ(levels(resized(grey({7, 8, 9}, 3, 1), 6, 1, Resize::nearest)),
            (std::vector<int>{7, 7, 8, 8, 9, 9}));
  EXPECT_EQ(levels(resized(picture, 5, 3, Resize::half_pixel)),
            levels(resize_half_pixel(picture, 5, 3)));
  EXPECT_EQ(levels(resized(picture, 5, 3, Resize::lanczos)),
            levels(resize_smooth(picture, 5, 3, Filter::lanczos)));
  Tensor colour = picture;
  colour.shape = {2, 2, 3};
  EXPECT_EQ(levels(resized(colour, 1, 1, Resize::nearest)), (std::vector<int>{0, 10, 20}));
  for (const Resize how : {Resize::nearest, Resize::half_pixel, Resize::lanczos}) {
    EXPECT_EQ(levels(resized(picture, 3, 4, how)), std::vector<int>(pixels.begin(), pixels.end()));
    EXPECT_EQ(resized(picture, 0, 4, how).error().code, ErrorCode::image_decode);
  }
}

TEST(Resize, GreyOfColours) {
  Tensor t = grey({255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}, 1, 12);
  t.shape = {2, 2, 3};
  EXPECT_EQ(levels(grey_of(t)), (std::vector<int>{76, 150, 29, 255}));
}

TEST(Resize, RefusesWhatIsNoPicture) {
  Tensor t = grey({1, 2}, 1, 2);
  EXPECT_EQ(resize_half_pixel(t, 0, 2).error().code, ErrorCode::image_decode);
  EXPECT_EQ(resize_half_pixel(t, 1 << 20, 2).error().code, ErrorCode::out_of_memory);
  t.shape = {1, 3, 1};
  EXPECT_EQ(resize_smooth(t, 1, 1, Filter::bilinear).error().code, ErrorCode::image_decode);
  t.shape = {1, 2};
  EXPECT_EQ(grey_of(t).error().code, ErrorCode::image_decode);
}

}  // namespace
}  // namespace edgetwin
