#include "decode/draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace edgetwin::decode {
namespace {

using Rgb = std::array<uint8_t, 3>;

Tensor picture(int64_t height, int64_t width) {
  return Tensor::zeros(DType::uint8, Shape{height, width, 3}).value();
}

Rgb at(const Tensor& t, int64_t y, int64_t x) {
  const auto pixels = t.as<uint8_t>();
  const size_t i = static_cast<size_t>((y * t.shape[1] + x) * 3);
  return {pixels[i], pixels[i + 1], pixels[i + 2]};
}

Detection box(double x0, double y0, double x1, double y1, int class_index = 0) {
  return {class_index, "cat", 0.5, x0, y0, x1, y1};
}

TEST(Draw, AFrameWithALabelAboveIt) {
  const Tensor drawn = draw_detections(picture(100, 120), {box(20, 40, 60, 80)}).value();
  const Rgb color = class_color(0);
  EXPECT_EQ(at(drawn, 40, 20), color);
  EXPECT_EQ(at(drawn, 79, 59), color);
  EXPECT_EQ(at(drawn, 60, 20), color);
  EXPECT_EQ(at(drawn, 60, 59), color);
  EXPECT_EQ(at(drawn, 60, 40), (Rgb{0, 0, 0})) << "the inside stays";
  EXPECT_EQ(at(drawn, 60, 60), (Rgb{0, 0, 0})) << "the outside stays";
  EXPECT_EQ(at(drawn, 39, 20), color) << "the label begins above";
  std::set<Rgb> label;
  for (int x = 20; x < 60; ++x) label.insert(at(drawn, 33, x));
  EXPECT_GT(label.size(), 1U) << "there are letters";
}

TEST(Draw, TheFirstBoxIsOnTop) {
  const Tensor drawn =
      draw_detections(picture(100, 100), {box(20, 40, 60, 80, 1), box(20, 40, 60, 80, 2)}).value();
  EXPECT_EQ(at(drawn, 60, 20), class_color(1));
}

TEST(Draw, BoxesAnywhereAreCutAtTheBorder) {
  for (const Detection& one :
       {box(-50, -50, 500, 500), box(90, 90, 80, 80), box(NAN, NAN, INFINITY, -INFINITY),
        box(1e300, -1e300, 1e301, 5), box(99, 0, 100, 1, -5), box(0, 0, 1, 1, 2147483647)}) {
    EXPECT_TRUE(draw_detections(picture(100, 100), {one}).ok());
    EXPECT_TRUE(draw_detections(picture(1, 1), {one}).ok());
  }
}

TEST(Draw, OtherTensorsAreRefused) {
  EXPECT_FALSE(draw_detections(Tensor::zeros(DType::uint8, Shape{4, 4, 1}).value(), {}).ok());
  EXPECT_FALSE(draw_detections(Tensor::zeros(DType::int8, Shape{4, 4, 3}).value(), {}).ok());
  EXPECT_FALSE(draw_detections(Tensor::zeros(DType::uint8, Shape{1, 4, 4, 3}).value(), {}).ok());
}

TEST(Draw, NeighbouringClassesHaveOtherColours) {
  std::set<Rgb> colors;
  for (int i = 0; i < 39; ++i) colors.insert(class_color(i));
  EXPECT_EQ(colors.size(), 39U);
  EXPECT_EQ(class_color(39), class_color(0));
}

}  // namespace
}  // namespace edgetwin::decode
