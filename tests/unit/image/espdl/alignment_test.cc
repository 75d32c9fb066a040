// Faces turned upright, the order of RGB565's bytes, and pictures as calibration sees them.
#include <gtest/gtest.h>

#include <cmath>

#include "image/espdl/byte_order.h"
#include "image/espdl/geometry.h"
#include "image/espdl/preprocess.h"
#include "image/espdl/real.h"

namespace edgetwin::espdl_image {
namespace {

TEST(EspdlAlignment, IsASimilarityNearLeastSquares) {
  // The points of a face, turned by 0.3, twice as large, moved by (30, 40), to whole pixels.
  constexpr std::array<float, 10> kFace = {38.2946F, 51.6963F, 41.5493F, 92.3655F, 56.0252F,
                                           71.7366F, 73.5318F, 51.5014F, 70.7299F, 92.2041F};
  const float c = 2.0F * std::cos(0.3F), s = 2.0F * std::sin(0.3F);
  std::array<int, 10> found{};
  for (size_t i = 0; i < found.size(); i += 2) {
    found[i] = static_cast<int>(std::lround(c * kFace[i] - s * kFace[i + 1] + 30.0F));
    found[i + 1] = static_cast<int>(std::lround(s * kFace[i] + c * kFace[i + 1] + 40.0F));
  }
  bool defined = false;
  const auto map = face_alignment(found, 112, 112, defined);
  ASSERT_TRUE(map.ok());
  EXPECT_TRUE(defined);
  EXPECT_NEAR((*map)[0], c, 0.02F);
  EXPECT_NEAR((*map)[1], -s, 0.02F);
  EXPECT_NEAR((*map)[2], 30.0F, 1.0F);
  EXPECT_NEAR((*map)[3], s, 0.02F);
  EXPECT_NEAR((*map)[5], 40.0F, 1.0F);
}

TEST(EspdlAlignment, OnePointIsRefused) {
  bool defined = true;
  EXPECT_FALSE(face_alignment({5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 112, 112, defined).ok());
}

// A soft ramp of grey as RGB565 with the low byte first.
Tensor ramp() {
  Tensor t = Tensor::zeros(DType::uint8, {20, 32, 2}).value();
  for (size_t i = 0; i < 20 * 32; ++i) {
    const auto v = static_cast<int>(i % 32);
    const int pixel = v << 11 | 2 * v << 5 | v;
    t.as<uint8_t>()[i * 2] = static_cast<uint8_t>(pixel & 255);
    t.as<uint8_t>()[i * 2 + 1] = static_cast<uint8_t>(pixel >> 8);
  }
  return t;
}

TEST(EspdlByteOrder, SwappedBytesAreNoticed) {
  const Tensor t = ramp();
  EXPECT_FALSE(bytes_look_swapped(t, PixelType::rgb565le));
  EXPECT_TRUE(bytes_look_swapped(t, PixelType::rgb565be));
  EXPECT_FALSE(bytes_look_swapped(t, PixelType::yuyv));
  const auto p =
      read_params(R"({"source": "rgb565be", "target": "rgb888", "width": 8, "height": 8})", "test");
  ASSERT_TRUE(p.ok());
  const auto made = preprocess(t, *p);
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->findings.size(), 1U);
  EXPECT_EQ(made->findings[0].id, "IMG-BYTES-01");
}

TEST(EspdlRealPicture, IsTheTableBeforeItsScale) {
  Tensor t = Tensor::zeros(DType::uint8, {4, 4, 3}).value();
  for (size_t i = 0; i < t.data.size(); ++i) t.as<uint8_t>()[i] = static_cast<uint8_t>(i * 5);
  const auto p =
      read_params(R"({"target": "bgr888_qint8", "mean": [1, 2, 3], "std": [10, 20, 40]})", "test");
  ASSERT_TRUE(p.ok());
  const auto real = real_picture(t, *p, 4, 4, 3);
  ASSERT_TRUE(real.ok()) << to_text(real.error());
  EXPECT_FLOAT_EQ(real->as<float>()[0], (10.0F - 1.0F) * (1.0F / 10.0F));
  EXPECT_FLOAT_EQ(real->as<float>()[2], (0.0F - 3.0F) * (1.0F / 40.0F));
  EXPECT_FALSE(real_picture(t, *p, 4, 5, 1).ok());
}

TEST(EspdlRealPicture, TextsAreFineEnough) {
  Tensor t = Tensor::zeros(DType::uint8, {4, 8, 3}).value();
  for (size_t i = 0; i < t.data.size(); ++i) t.as<uint8_t>()[i] = static_cast<uint8_t>(i * 2);
  const auto p = read_params(R"({"pipeline": "ocr_det"})", "test");
  ASSERT_TRUE(p.ok());
  const auto real = real_picture(t, *p, 8, 8, 3);
  ASSERT_TRUE(real.ok()) << to_text(real.error());
  // The ground of 127 in the last row: blue by the first mean.
  const auto values = real->as<float>();
  EXPECT_NEAR(values[values.size() - 3], (127.0F - 123.675F) / 58.395F, 1e-4F);
}

}  // namespace
}  // namespace edgetwin::espdl_image
