// Detectors that users bring: which form shapes tell, and the boxes of each.
#include <gtest/gtest.h>

#include <cmath>

#include "decode/espdl/decode.h"

namespace edgetwin::espdl_decode {
namespace {

// Of an input of 64 x 64 over a picture of 128 x 128: stages of 8 x 8, 4 x 4 and 2 x 2.
constexpr const char* kSizes = R"("source": [128, 128], "input": [64, 64])";

Tensor reals(const std::string& name, const Shape& shape, float value) {
  Tensor t = Tensor::zeros(DType::float32, shape).value();
  t.name = name;
  std::fill(t.as<float>().begin(), t.as<float>().end(), value);
  return t;
}

Result<Decoded> decoded(const std::vector<Tensor>& outputs, const std::string& more = "",
                        std::vector<std::string> names = {}) {
  const auto params = read_params("{" + std::string(kSizes) + more + "}", "test");
  EXPECT_TRUE(params.ok()) << to_text(params.error());
  return decode("espdl-yolo", outputs, *params, std::move(names));
}

void expect_box(const Result<Decoded>& made, const std::array<int, 4>& box, int category,
                const std::string& words) {
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  ASSERT_EQ(made->detections->size(), 1U);
  EXPECT_EQ((*made->detections)[0].box, box);
  EXPECT_EQ((*made->detections)[0].category, category);
  ASSERT_FALSE(made->remarks.empty());
  EXPECT_NE(made->remarks[0].find(words), std::string::npos) << made->remarks[0];
}

// Three stages of `channels`, everything at `low`.
std::vector<Tensor> stages(int64_t channels, float low) {
  std::vector<Tensor> all;
  for (const int64_t side : {8, 4, 2}) {
    all.push_back(reals("o" + std::to_string(side), {1, side, side, channels}, low));
  }
  return all;
}

TEST(EspdlHeads, DistancesWithoutBins) {
  std::vector<Tensor> maps = stages(4 + 2, -9.0F);
  float* cell = maps[0].as<float>().data() + (3 * 8 + 2) * 6;  // row 3, column 2 of stride 8
  for (int i = 0; i < 4; ++i) cell[i] = 1.0F;
  cell[5] = 2.0F;
  // Centre (20, 28), one stride to each side, twice as large in the picture.
  expect_box(decoded(maps, R"(, "classes": 2)"), {24, 40, 56, 72}, 1, "without bins");
}

TEST(EspdlHeads, PairsOfBins) {
  std::vector<Tensor> maps;
  for (const int64_t side : {8, 4, 2}) {
    maps.push_back(reals("s" + std::to_string(side), {1, side, side, 3}, -9.0F));
    maps.push_back(reals("b" + std::to_string(side), {1, side, side, 64}, 0.0F));
  }
  maps[0].as<float>()[static_cast<size_t>((3 * 8 + 2) * 3)] = 2.0F;
  float* cell = maps[1].as<float>().data() + (3 * 8 + 2) * 64;
  for (int side = 0; side < 4; ++side) cell[side * 16 + 1] = 90.0F;
  expect_box(decoded(maps), {24, 40, 56, 72}, 0, "16 bins, 3 classes, two maps per stage");
}

TEST(EspdlHeads, AnchorsAsOnnxHasThem) {
  std::vector<Tensor> maps;
  for (const int64_t side : {8, 4, 2}) {
    maps.push_back(reals("a" + std::to_string(side), {1, 3, side, side, 5 + 80}, -9.0F));
  }
  // Anchor 1 of stride 8 is 16 x 30: sigmoid(0) = 0.5 leaves centre + 0.5 and the anchor's size.
  float* cell = maps[0].as<float>().data() + ((1 * 8 + 3) * 8 + 2) * 85;
  for (int i = 0; i < 4; ++i) cell[i] = 0.0F;
  cell[4] = 9.0F, cell[5 + 7] = 9.0F;
  const auto made = decoded(maps);
  expect_box(made, {24, 26, 56, 86}, 7, "YOLOv5: three anchors");
  EXPECT_EQ(made->name_of(7), "truck");
}

TEST(EspdlHeads, RowsEitherWayRoundAndAsParts) {
  constexpr int64_t kCells = 64 + 16 + 4;
  Tensor rows = reals("rows", {1, kCells, 6}, 0.0F);
  const std::array<float, 6> one = {20.0F, 28.0F, 16.0F, 16.0F, 0.1F, 0.9F};
  std::copy(one.begin(), one.end(), rows.as<float>().begin() + 5 * 6);
  expect_box(decoded({rows}), {24, 40, 56, 72}, 1, "rows of YOLOv8");
  Tensor turned = reals("rows", {1, 6, kCells}, 0.0F);
  for (size_t i = 0; i < one.size(); ++i) turned.as<float>()[i * kCells + 5] = one[i];
  expect_box(decoded({turned}), {24, 40, 56, 72}, 1, "rows of YOLOv8");
  for (size_t i = 0; i < 4; ++i) turned.as<float>()[i * kCells + 5] /= 64.0F;
  expect_box(decoded({turned}), {24, 40, 56, 72}, 1, "parts of the input");
}

TEST(EspdlHeads, RowsWithAnObject) {
  Tensor rows = reals("rows", {1, 84 * 3, 7}, 0.0F);
  const std::array<float, 7> one = {20.0F, 28.0F, 16.0F, 16.0F, 0.5F, 0.9F, 0.4F};
  std::copy(one.begin(), one.end(), rows.as<float>().begin() + 11 * 7);
  const auto made = decoded({rows});
  expect_box(made, {24, 40, 56, 72}, 0, "rows of YOLOv5");
  EXPECT_FLOAT_EQ((*made->detections)[0].score, 0.45F);
}

TEST(EspdlHeads, CornersAreNotSuppressedAgain) {
  Tensor rows = reals("rows", {1, 5, 6}, 0.0F);
  for (size_t i = 0; i < 2; ++i) {
    const std::array<float, 6> one = {12.0F, 20.0F, 28.0F, 36.0F, 0.9F, 3.0F};
    std::copy(one.begin(), one.end(), rows.as<float>().begin() + static_cast<int64_t>(i) * 6);
  }
  const auto made = decoded({rows});
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  ASSERT_EQ(made->detections->size(), 2U);
  EXPECT_EQ((*made->detections)[0].box, (std::array<int, 4>{24, 40, 56, 72}));
}

TEST(EspdlHeads, ShapesThatTellNothingNeedTheClasses) {
  // 69 channels: 5 classes by bins, 65 without, 18 by anchors.
  const std::vector<Tensor> maps = stages(69, -9.0F);
  const auto open = decoded(maps);
  ASSERT_FALSE(open.ok());
  EXPECT_NE(open.error().message.find("not told by their shape"), std::string::npos);
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  const auto named = decoded(maps, "", names);
  ASSERT_TRUE(named.ok()) << to_text(named.error());
  EXPECT_NE(named->remarks[0].find("16 bins, 5 classes"), std::string::npos);
  const auto anchors = decoded(maps, R"(, "classes": 18)");
  ASSERT_TRUE(anchors.ok());
  EXPECT_NE(anchors->remarks[0].find("YOLOv5"), std::string::npos);
  EXPECT_FALSE(decoded(maps, R"(, "classes": 7)").ok());
}

TEST(EspdlHeads, RefusesWhatIsNoHead) {
  const Tensor line = reals("v", {1, 10}, 0.0F);
  const Tensor odd = reals("m", {1, 7, 7, 84}, 0.0F);
  const Tensor map = reals("m", {1, 8, 8, 84}, 0.0F);
  const Tensor few = reals("m", {1, 8, 8, 4}, 0.0F);
  EXPECT_FALSE(decoded({}).ok());
  EXPECT_FALSE(decoded({line}).ok());
  EXPECT_FALSE(decoded({odd}).ok());
  EXPECT_FALSE(decoded({few}).ok());
  EXPECT_FALSE(decoded({map, map, map}).ok());
  EXPECT_FALSE(decoded({map, line, line}).ok());
  EXPECT_FALSE(decoded({reals("rows", {1, 83, 6 + 1}, 0.0F)}).ok());
  EXPECT_FALSE(decoded({reals("rows", {1, 84, 4}, 0.0F)}).ok());
}

TEST(EspdlHeads, ScoresOfTheirOwnMapMayBeProbabilities) {
  std::vector<Tensor> maps;
  for (const int64_t side : {8, 4, 2}) {
    maps.push_back(reals("b" + std::to_string(side), {1, side, side, 4}, 1.0F));
    Tensor score = Tensor::zeros(DType::uint8, {1, side, side, 3}).value();
    score.name = "s" + std::to_string(side);
    score.quant = Quant::affine(1.0F / 256.0F, 0);
    maps.push_back(std::move(score));
  }
  maps[1].as<uint8_t>()[static_cast<size_t>((3 * 8 + 2) * 3 + 1)] = 128;
  const auto made = decoded(maps);
  expect_box(made, {24, 40, 56, 72}, 1, "probabilities already");
  EXPECT_FLOAT_EQ((*made->detections)[0].score, 0.5F);
}

}  // namespace
}  // namespace edgetwin::espdl_decode
