#include "decode/segmentation.h"

#include <gtest/gtest.h>

#include "decode/bodypix.h"
#include "unit/decode/maps.h"

namespace edgetwin::decode {
namespace {

TEST(Segmentation, ColoursOfPascal) {
  using Rgb = std::array<uint8_t, 3>;
  EXPECT_EQ(pascal_color(0), (Rgb{0, 0, 0}));
  EXPECT_EQ(pascal_color(3), (Rgb{128, 128, 0}));     // bird
  EXPECT_EQ(pascal_color(15), (Rgb{192, 128, 128}));  // person
  EXPECT_EQ(pascal_color(20), (Rgb{0, 64, 128}));     // tvmonitor
}

TEST(Segmentation, TheLargestOfTheChannelsAndTheFirstOfEqualOnes) {
  const Tensor t = bytes_of("logits", {1, 1, 3, 3}, {1, 5, 2, 7, 7, 7, 0, 0, 1}, 0.5F, 3);
  const auto map = class_map(t);
  ASSERT_TRUE(map.ok()) << to_text(map.error());
  EXPECT_EQ(map->classes, (std::vector<uint8_t>{1, 0, 2}));
}

TEST(Segmentation, ClassesThemselves) {
  Tensor t = *Tensor::zeros(DType::int64, {1, 2, 2});
  t.as<int64_t>()[3] = 20;
  EXPECT_EQ(class_map(t)->classes, (std::vector<uint8_t>{0, 0, 0, 20}));
  t.as<int64_t>()[0] = 256;
  EXPECT_EQ(class_map(t).error().code, ErrorCode::decode_maps);
  t.as<int64_t>()[0] = -1;
  EXPECT_EQ(class_map(t).error().code, ErrorCode::decode_maps);
  t.shape = {1, 2, 3};
  EXPECT_EQ(class_map(t).error().code, ErrorCode::decode_maps);
}

TEST(Segmentation, MasksInGreyAndInColour) {
  Tensor grey = bytes_of("mask", {1, 3, 1}, {3, 0, 255}, 1.0F, 0);
  EXPECT_EQ(class_map_of_mask(grey)->classes, (std::vector<uint8_t>{3, 0, 255}));
  grey.data[0] = std::byte{100};
  EXPECT_EQ(class_map_of_mask(grey)->classes, (std::vector<uint8_t>{100, 0, 255}));
  const Tensor greys = bytes_of("mask", {1, 2, 3}, {100, 100, 100, 0, 0, 0}, 1.0F, 0);
  EXPECT_EQ(class_map_of_mask(greys)->classes, (std::vector<uint8_t>{255, 0}));
  const Tensor colour = bytes_of("mask", {1, 3, 3}, {128, 128, 0, 0, 0, 0, 224, 224, 192}, 1.0F, 0);
  EXPECT_EQ(class_map_of_mask(colour)->classes, (std::vector<uint8_t>{3, 0, 255}));
}

TEST(Segmentation, OverlapLeavesOutWhatIsNotJudged) {
  const ClassMap map{1, 4, {3, 3, 0, 3}};
  const ClassMap truth{1, 4, {3, 0, 3, 255}};
  EXPECT_DOUBLE_EQ(overlap(map, truth, 3), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(overlap(map, truth, 7), 1.0);
  EXPECT_EQ(pixel_counts(map)[3], 3);
}

TEST(Segmentation, OtherSizesAndDrawing) {
  const ClassMap map{1, 2, {0, 3}};
  EXPECT_EQ(resized(map, 2, 4).classes, (std::vector<uint8_t>{0, 0, 3, 3, 0, 0, 3, 3}));
  const Tensor picture = bytes_of("picture", {1, 2, 3}, {10, 20, 30, 100, 100, 100}, 1.0F, 0);
  const auto drawn = draw_classes(picture, map);
  ASSERT_TRUE(drawn.ok());
  const std::vector<int> wanted = {10, 20, 30, 114, 114, 50};
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(static_cast<int>(drawn->data[i]), wanted[i]) << i;
  }
  EXPECT_EQ(draw_classes(bytes_of("grey", {2, 2, 1}, {}, 1.0F, 0), map).error().code,
            ErrorCode::decode_maps);
}

TEST(Bodypix, PeopleAndTheirParts) {
  Tensor people = floats("segments", {1, 1, 3, 1});
  people.as<float>()[1] = -0.001F;
  people.as<float>()[2] = 4.0F;
  Tensor parts = floats("parts", {1, 1, 3, 24});
  parts.as<float>()[2 * 24 + 12] = 1.0F;
  const std::array maps = {floats("heatmaps", {1, 1, 3, 17}), people, parts};
  EXPECT_EQ(decode_bodypix(maps, 0.5)->classes, (std::vector<uint8_t>{1, 0, 13}));
  const std::array without = {people};
  EXPECT_EQ(decode_bodypix(without, 0.9)->classes, (std::vector<uint8_t>{0, 0, 1}));
  const std::array none = {floats("heatmaps", {1, 1, 3, 17})};
  EXPECT_EQ(decode_bodypix(none, 0.5).error().code, ErrorCode::decode_maps);
  const std::array apart = {people, floats("parts", {1, 2, 2, 24})};
  EXPECT_EQ(decode_bodypix(apart, 0.5).error().code, ErrorCode::decode_maps);
}

}  // namespace
}  // namespace edgetwin::decode
