#include "decode/yolo26.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "decode/coco.h"
#include "tensor/npy.h"

namespace edgetwin::decode {
namespace {

Tensor map_tensor(std::string name, Shape shape, int exponent, int16_t fill = 0) {
  Tensor t = Tensor::zeros(DType::int16, shape).value();
  t.name = std::move(name);
  t.quant = Quant::power_of_two(exponent);
  for (int16_t& q : t.as<int16_t>()) q = fill;
  return t;
}

// Two scales of an input of 32 x 16 with three classes: strides 8 and 16. All scores are low.
struct Maps {
  std::vector<Tensor> tensors = {
      map_tensor("p3_box", {1, 2, 4, 4}, -4), map_tensor("p3_cls", {1, 2, 4, 3}, -8, -2560),
      map_tensor("p4_box", {1, 1, 2, 4}, -3), map_tensor("p4_cls", {1, 1, 2, 3}, -7, -1280)};
  Yolo26Options options;

  Maps() {
    options.input_width = 32;
    options.input_height = 16;
  }
  void set(size_t map, int64_t cell, int64_t channel, int value) {
    Tensor& t = tensors[map];
    t.as<int16_t>()[static_cast<size_t>(cell * t.shape.back(0) + channel)] =
        static_cast<int16_t>(value);
  }
  void set_box(size_t map, int64_t cell, int left, int top, int right, int bottom) {
    const int sides[] = {left, top, right, bottom};
    for (int i = 0; i < 4; ++i) set(map, cell, i, sides[i]);
  }
  std::vector<Detection> decode() const {
    const auto result = decode_yolo26(tensors, options);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_text(result.error()));
    return result.ok() ? *result : std::vector<Detection>();
  }
  bool refused() const { return !decode_yolo26(tensors, options).ok(); }
};

TEST(Yolo26, DistancesAreInStridesFromTheCentreOfTheCell) {
  Maps maps;
  maps.set(1, 4 + 2, 1, 256);            // row 1, column 2 of the first scale: logit 1
  maps.set_box(0, 4 + 2, 16, 8, 24, 4);  // 1, 0.5, 1.5, 0.25 strides of 8
  maps.set(3, 1, 2, 384);                // column 1 of the second scale: logit 3
  maps.set_box(2, 1, 4, 2, 2, 1);        // 0.5, 0.25, 0.25, 0.125 strides of 16
  const auto boxes = maps.decode();
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[0].class_index, 2);
  EXPECT_EQ(boxes[0].name, "2");
  EXPECT_DOUBLE_EQ(boxes[0].score, 1 / (1 + std::exp(-3.0)));
  EXPECT_EQ(boxes[0].x0, (1.5 - 0.5) * 16);
  EXPECT_EQ(boxes[0].y0, (0.5 - 0.25) * 16);
  EXPECT_EQ(boxes[0].x1, (1.5 + 0.25) * 16);
  EXPECT_EQ(boxes[0].y1, (0.5 + 0.125) * 16);
  EXPECT_EQ(boxes[1].class_index, 1);
  EXPECT_EQ(boxes[1].x0, (2.5 - 1) * 8);
  EXPECT_EQ(boxes[1].y0, (1.5 - 0.5) * 8);
  EXPECT_EQ(boxes[1].x1, (2.5 + 1.5) * 8);
  EXPECT_EQ(boxes[1].y1, (1.5 + 0.25) * 8);
}

TEST(Yolo26, MapsAreToldApartByShapeAndName) {
  Maps maps;
  maps.set(1, 3, 0, 512);
  maps.set_box(0, 3, 8, 8, 8, 8);
  maps.set(3, 0, 1, 512);
  maps.set_box(2, 0, 8, 8, 8, 8);
  const auto expected = maps.decode();
  ASSERT_EQ(expected.size(), 2U);
  std::swap(maps.tensors[0], maps.tensors[3]);
  std::swap(maps.tensors[1], maps.tensors[2]);
  EXPECT_EQ(maps.decode(), expected);

  // Four classes: only the names tell.
  std::vector<Tensor> square = {map_tensor("CLASSES", {1, 1, 4}, 0, -9),
                                map_tensor("boxes", {1, 1, 4}, 0, 1)};
  square[0].as<int16_t>()[3] = 2;
  Yolo26Options options;
  options.input_width = options.input_height = 8;
  const auto boxes = decode_yolo26(square, options);
  ASSERT_TRUE(boxes.ok());
  ASSERT_EQ(boxes->size(), 1U);
  EXPECT_EQ(boxes->at(0).class_index, 3);
  square[0].name = "a";
  EXPECT_FALSE(decode_yolo26(square, options).ok());
}

TEST(Yolo26, EqualScoresComeByScaleCellAndClass) {
  Maps maps;
  for (const int64_t cell : {5, 2}) {
    maps.set(1, cell, 2, 256);
    maps.set(1, cell, 0, 256);
    maps.set_box(0, cell, 4, 4, 4, 4);
  }
  maps.set(3, 0, 1, 128);  // the same logit 1 with another exponent
  maps.set_box(2, 0, 1, 1, 1, 1);
  const auto boxes = maps.decode();
  ASSERT_EQ(boxes.size(), 5U);
  std::vector<std::pair<double, int>> order;
  for (const Detection& box : boxes) order.emplace_back(box.x0, box.class_index);
  EXPECT_EQ(order, (std::vector<std::pair<double, int>>{
                       {18.0, 0}, {18.0, 2}, {10.0, 0}, {10.0, 2}, {6.0, 1}}));
  maps.options.most = 2;
  const auto two = maps.decode();
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[1], boxes[1]);
}

TEST(Yolo26, TheThresholdIsOnTheScore) {
  Maps maps;
  maps.set(1, 0, 0, -282);  // logit -1.1016: 0.2494
  maps.set_box(0, 0, 8, 8, 8, 8);
  maps.set(1, 7, 0, -281);  // logit -1.0977: 0.2502
  maps.set_box(0, 7, 8, 8, 8, 8);
  EXPECT_EQ(maps.decode().size(), 1U);
  maps.options.threshold = 0.249;
  EXPECT_EQ(maps.decode().size(), 2U);
}

TEST(Yolo26, BoxesFollowThePictureAndStayInIt) {
  Maps maps;
  maps.set(1, 1, 0, 2560);
  maps.set_box(0, 1, 320, 0, 8, 8);  // far beyond the left edge
  maps.set(1, 3, 0, 2550);
  maps.set_box(0, 3, -16, 8, -16, 8);  // right of itself: nothing
  maps.options.picture_width = 64;
  maps.options.picture_height = 16;
  auto boxes = maps.decode();
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_EQ(boxes[0].x0, 0.0);
  EXPECT_EQ(boxes[0].x1, 32.0);
  EXPECT_EQ(boxes[0].y0, 4.0);
  EXPECT_EQ(boxes[0].y1, 8.0);
  // A picture in rows 4 to 12 of the input, with borders.
  maps.options.placement = {0.0, 4.0, 32.0, 8.0};
  boxes = maps.decode();
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_EQ(boxes[0].y0, 0.0);
  EXPECT_EQ(boxes[0].y1, 8.0);
}

TEST(Yolo26, FloatMapsWithoutANumberGiveNothing) {
  Tensor classes = Tensor::zeros(DType::float32, Shape{1, 1, 2}).value();
  Tensor sides = Tensor::zeros(DType::float32, Shape{1, 1, 4}).value();
  for (float& side : sides.as<float>()) side = 0.25F;
  classes.as<float>()[0] = NAN;
  classes.as<float>()[1] = 4.0F;
  Yolo26Options options;
  options.input_width = options.input_height = 8;
  const auto boxes = decode_yolo26(std::vector{classes, sides}, options);
  ASSERT_TRUE(boxes.ok());
  ASSERT_EQ(boxes->size(), 1U);
  EXPECT_EQ(boxes->at(0).class_index, 1);
  sides.as<float>()[0] = NAN;
  EXPECT_TRUE(decode_yolo26(std::vector{classes, sides}, options).value().empty());
}

TEST(Yolo26, WhatDoesNotBelongTogetherIsRefused) {
  EXPECT_FALSE(Maps().refused());
  const auto refused = [](auto change) {
    Maps maps;
    change(maps);
    return maps.refused();
  };
  EXPECT_TRUE(refused([](Maps& m) { m.tensors.clear(); }));
  EXPECT_TRUE(refused([](Maps& m) { m.tensors.pop_back(); }));
  EXPECT_TRUE(refused([](Maps& m) { m.tensors[3] = map_tensor("x", {1, 1, 1, 3}, 0); }));
  EXPECT_TRUE(refused([](Maps& m) { m.tensors[3] = map_tensor("x", {1, 1, 2, 5}, 0); }));
  EXPECT_TRUE(refused([](Maps& m) { m.tensors[2] = map_tensor("x", {1, 1, 2, 3}, 0); }));
  EXPECT_TRUE(refused([](Maps& m) { m.tensors[0].shape = Shape{2, 1, 4, 4}; }));
  EXPECT_TRUE(refused([](Maps& m) { m.tensors[0].data.pop_back(); }));
  EXPECT_TRUE(refused([](Maps& m) { m.tensors[0].quant = Quant::affine(1.0F, 0); }));
  EXPECT_TRUE(refused([](Maps& m) { m.tensors[0].quant.exponent = {1, 2}; }));
  EXPECT_TRUE(refused([](Maps& m) { m.options.input_width = 33; }));
  EXPECT_TRUE(refused([](Maps& m) { m.options.input_height = 0; }));
  EXPECT_TRUE(refused([](Maps& m) { m.options.most = 0; }));
  EXPECT_TRUE(refused([](Maps& m) { m.options.threshold = NAN; }));
  EXPECT_TRUE(refused([](Maps& m) { m.options.names = {"one"}; }));
}

// The published network on a picture of waves and discs: its best boxes are around discs.
TEST(Yolo26, RecordedMapsGiveTheDiscsOfThePicture) {
  const char* data = std::getenv("EDGETWIN_SHARED_DATA");
  if (data == nullptr) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const auto folder = std::filesystem::path(data) / "espdl/upstream/yolo26n_512_p4";
  const auto bytes = read_file(folder / "runtime.npz");
  if (!bytes.ok()) GTEST_SKIP() << folder << " is not there";
  auto maps = read_npz(*bytes, "runtime.npz").value();
  ASSERT_EQ(maps.size(), 6U);
  const int exponents[] = {-12, -10, -11, -8, -11, -8};
  for (size_t i = 0; i < maps.size(); ++i) {
    ASSERT_EQ(maps[i].name, "o" + std::to_string(i));
    maps[i].quant = Quant::power_of_two(exponents[i]);
  }
  Yolo26Options options;
  options.input_width = options.input_height = 512;
  options.threshold = 0.06;
  const auto boxes = decode_yolo26(maps, options).value();
  // Edges of the discs, measured in the picture; two are cut by its border.
  const double discs[][4] = {{44, 14, 226, 195},
                             {299, 421, 444, 512},
                             {353, 118, 456, 221},
                             {448, 225, 512, 301},
                             {0, 185, 140, 345}};
  ASSERT_EQ(boxes.size(), 5U);
  for (size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_EQ(boxes[i].name, "orange");  // the class of round things
    EXPECT_NEAR(boxes[i].x0, discs[i][0], 3.0) << i;
    EXPECT_NEAR(boxes[i].y0, discs[i][1], 3.0) << i;
    EXPECT_NEAR(boxes[i].x1, discs[i][2], 3.0) << i;
    EXPECT_NEAR(boxes[i].y1, discs[i][3], 3.0) << i;
  }
}

TEST(Coco, HasItsEightyNames) {
  EXPECT_EQ(kCocoNames.front(), "person");
  EXPECT_EQ(kCocoNames[15], "cat");
  EXPECT_EQ(kCocoNames[62], "tv");
  EXPECT_EQ(kCocoNames.back(), "toothbrush");
}

}  // namespace
}  // namespace edgetwin::decode
