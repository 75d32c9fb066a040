// Frames of cameras: colours from bits, the middle, folding.
#include "targets/max78/frame/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgetwin::max78 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor bytes_of(Shape shape, std::vector<uint8_t> values) {
  Tensor t;
  t.dtype = DType::uint8;
  t.shape = shape;
  t.data = to_bytes(std::as_bytes(std::span(values)));
  return t;
}

std::vector<int> values_of(const Tensor& t) {
  const auto v = t.as<int8_t>();
  return {v.begin(), v.end()};
}

TEST(Frame, SixteenBitsAreColoursWhoseLowBitsAreZero) {
  // White, red, green, blue: each byte order.
  const std::vector<uint8_t> high = {0xff, 0xff, 0xf8, 0x00, 0x07, 0xe0, 0x00, 0x1f};
  std::vector<uint8_t> low;
  for (size_t i = 0; i < high.size(); i += 2) low.insert(low.end(), {high[i + 1], high[i]});
  const SampleShape input{3, 1, 4};
  for (const auto& [name, bytes] : {std::pair{"rgb565", high}, std::pair{"rgb565le", low}}) {
    const auto frame = fit_frame(*find_frame_pixel(name), bytes_of({1, 4, 2}, bytes), input);
    ASSERT_TRUE(frame.ok());
    EXPECT_THAT(values_of(sample_of(*frame, input)),
                ElementsAre(120, 120, -128, -128, 124, -128, 124, -128, 120, -128, -128, 120))
        << name;
  }
}

TEST(Frame, TheMiddleIsFoldedIntoChannelsRowByRow) {
  // 4 x 6 levels; the input is 1 x 2 of four channels: the middle 2 x 4.
  std::vector<uint8_t> levels(24);
  for (size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<uint8_t>(128 + i);
  const SampleShape input{4, 1, 2};
  const auto frame = fit_frame(*find_frame_pixel("grey"), bytes_of({4, 6, 1}, levels), input);
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(frame->fit.fold, 2);
  EXPECT_EQ(frame->fit.top, 1);
  EXPECT_EQ(frame->fit.left, 1);
  EXPECT_THAT(values_of(sample_of(*frame, input)), ElementsAre(7, 9, 8, 10, 13, 15, 14, 16));
  EXPECT_EQ(fit_text(*frame, input), "the middle 4 x 2 of 6 x 4 pixels, folded by 2");
}

TEST(Frame, APictureIsSentAsItsPixelsHaveIt) {
  const Tensor picture = bytes_of({1, 2, 3}, {255, 128, 7, 1, 2, 3});
  const auto bits = frame_bytes(picture, *find_frame_pixel("rgb565"));
  ASSERT_TRUE(bits.ok());
  EXPECT_THAT(bits->as<uint8_t>(), ElementsAre(0xfc, 0x00, 0x00, 0x00));
  const auto words = frame_bytes(picture, *find_frame_pixel("rgb888x"));
  ASSERT_TRUE(words.ok());
  EXPECT_THAT(words->as<uint8_t>(), ElementsAre(255, 128, 7, 0, 1, 2, 3, 0));
  EXPECT_FALSE(frame_bytes(picture, *find_frame_pixel("grey")).ok());
}

TEST(Frame, WhatDoesNotFitIsRefusedWithItsNumbers) {
  const FramePixel& rgb = *find_frame_pixel("rgb888");
  const Tensor bytes = bytes_of({2, 2, 3}, std::vector<uint8_t>(12));
  EXPECT_THAT(to_text(fit_frame(rgb, bytes, {3, 3, 2}).error()), HasSubstr("needs 2 x 3"));
  EXPECT_THAT(to_text(fit_frame(rgb, bytes, {5, 1, 1}).error()), HasSubstr("has 5 channels"));
  EXPECT_THAT(to_text(fit_frame(*find_frame_pixel("rgb565"), bytes, {3, 2, 2}).error()),
              HasSubstr("2 bytes"));
  EXPECT_EQ(find_frame_pixel("rgb"), nullptr);
}

}  // namespace
}  // namespace edgetwin::max78
