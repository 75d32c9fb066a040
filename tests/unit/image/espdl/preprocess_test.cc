#include "image/espdl/preprocess.h"

#include <gtest/gtest.h>

#include "image/espdl/convert.h"
#include "image/espdl/ocr.h"
#include "image/espdl/rules.h"

namespace edgetwin::espdl_image {
namespace {

Params params(const std::string& text) {
  auto read = read_params(text, "test");
  EXPECT_TRUE(read.ok()) << to_text(read.error());
  return std::move(read).value();
}

std::string refusal(const std::string& text) {
  const auto read = read_params(text, "test");
  return read.ok() ? "" : std::string(read.error().id());
}

Tensor picture(int64_t rows, int64_t columns, int64_t bytes) {
  Tensor t = Tensor::zeros(DType::uint8, {rows, columns, bytes}).value();
  for (size_t i = 0; i < t.data.size(); ++i) t.data[i] = static_cast<std::byte>(i * 7);
  return t;
}

std::string failure(const Tensor& t, const std::string& text) {
  const auto made = preprocess(t, params(text));
  return made.ok() ? "" : std::string(made.error().id());
}

TEST(EspdlImageParams, RefusesWhatHasNoMeaning) {
  EXPECT_EQ(refusal("[]"), "IMG-PARAM-01");
  EXPECT_EQ(refusal(R"({"target": "rgb"})"), "IMG-PARAM-01");
  EXPECT_EQ(refusal(R"({"source": "rgb888_qint8"})"), "IMG-PARAM-01");
  EXPECT_EQ(refusal(R"({"width": 0})"), "IMG-PARAM-01");
  EXPECT_EQ(refusal(R"({"width": 1.5})"), "IMG-PARAM-01");
  EXPECT_EQ(refusal(R"({"letterbox": 1})"), "IMG-PARAM-01");
  EXPECT_EQ(refusal(R"({"letterbox": true, "border": [0, 0, 0, 0]})"), "IMG-PARAM-01");
  EXPECT_EQ(refusal(R"({"pipeline": "ocr_det", "mean": [1, 2, 3]})"), "IMG-PARAM-01");
  EXPECT_EQ(refusal(R"({"bits": 8})"), "IMG-PARAM-01");
  EXPECT_EQ(refusal(R"({"mean": [1, 2]})"), "IMG-PARAM-01");
  EXPECT_EQ(refusal(R"({"affine": [[1, 0], [0, 1]]})"), "IMG-PARAM-01");
  EXPECT_EQ(refusal("{"), "FMT-BYTES-02");
}

TEST(EspdlImageGeometry, NearestNeighbourIsInSinglePrecision) {
  // 480 rows to 224: row 112 would be 240 exactly; the product is just below or at it.
  const std::vector<int32_t> lines = nearest_lines(480, 224);
  const float k = 480.0F / 224.0F;
  for (int i = 0; i < 224; ++i) {
    EXPECT_EQ(lines[static_cast<size_t>(i)],
              std::min(static_cast<int>(static_cast<float>(i) * k), 479));
  }
  EXPECT_EQ(nearest_lines(5, 5), (std::vector<int32_t>{0, 1, 2, 3, 4}));
}

TEST(EspdlImageGeometry, LetterboxFillsTheOtherAxis) {
  const Border wide = letterbox_border(640, 480, 224, 224);
  EXPECT_EQ(wide.top + wide.bottom, 224 - 168);
  EXPECT_EQ(wide.left + wide.right, 0);
  const Border same = letterbox_border(48, 48, 48, 48);
  EXPECT_EQ(same.left + same.right + same.top + same.bottom, 0);
}

TEST(EspdlImageConvert, White565KeepsItsLowBitsAtZero) {
  Tensor white = Tensor::zeros(DType::uint8, {1, 2, 2}).value();
  std::fill(white.data.begin(), white.data.end(), std::byte{255});
  const auto made = preprocess(
      white, params(R"({"source": "rgb565be", "target": "rgb888", "width": 2, "height": 1})"));
  ASSERT_TRUE(made.ok());
  const auto levels = made->tensor.as<uint8_t>();
  EXPECT_EQ((std::vector<uint8_t>(levels.begin(), levels.begin() + 3)),
            (std::vector<uint8_t>{248, 252, 248}));
}

TEST(EspdlImageConvert, RoundingDependsOnTheChip) {
  const std::vector<float> mean = {0.0F};
  const std::vector<float> deviation = {2.0F};
  const auto up = quant_table(mean, deviation, 0, false, rounding_of(Chip::esp32s3));
  const auto even = quant_table(mean, deviation, 0, false, rounding_of(Chip::esp32p4));
  ASSERT_TRUE(up.ok() && even.ok());
  EXPECT_EQ((*up)[0][1], 1);
  EXPECT_EQ((*even)[0][1], 0);
  EXPECT_EQ((*up)[0][255], 127);  // limited
  const std::vector<float> none = {0.0F};
  EXPECT_FALSE(quant_table(mean, none, 0, false, rounding_of(Chip::c)).ok());
}

TEST(EspdlImage, RefusesWhatTheChipDoesNotDo) {
  const std::string size = R"("width": 4, "height": 4)";
  EXPECT_EQ(
      failure(picture(4, 4, 3), R"({"target": "rgb888", "crop": [2, 2, 2, 4], )" + size + "}"),
      "IMG-CHIP-01");
  EXPECT_EQ(
      failure(picture(4, 4, 3), R"({"target": "rgb888", "crop": [0, 0, 5, 4], )" + size + "}"),
      "IMG-CHIP-01");
  EXPECT_EQ(
      failure(picture(4, 4, 3), R"({"target": "rgb888", "border": [2, 2, 0, 0], )" + size + "}"),
      "IMG-CHIP-01");
  EXPECT_EQ(failure(picture(4, 4, 3), R"({"target": "rgb888", "background": 3, )" + size + "}"),
            "IMG-CHIP-01");
  EXPECT_EQ(failure(picture(4, 3, 2), R"({"target": "rgb888", "source": "yuyv", )" + size + "}"),
            "IMG-CHIP-01");
  EXPECT_EQ(failure(picture(4, 4, 3), R"({"target": "yuyv", )" + size + "}"), "IMG-CHIP-01");
  EXPECT_EQ(failure(picture(4, 4, 1), R"({"target": "rgb888", "source": "gray", )" + size + "}"),
            "IMG-CHIP-01");
  EXPECT_EQ(failure(picture(4, 4, 2), R"({"target": "rgb888", )" + size + "}"), "IMG-CHIP-01");
  EXPECT_EQ(failure(picture(4, 4, 3), R"({"target": "rgb888_qint8", )" + size + "}"),
            "IMG-PARAM-01");
  EXPECT_EQ(failure(picture(4, 4, 3), R"({"target": "hsv_mask", )" + size + "}"), "IMG-PARAM-01");
  EXPECT_EQ(failure(picture(4, 4, 3), R"({"target": "rgb888"})"), "IMG-PARAM-01");
}

TEST(EspdlImage, BackgroundIsSwappedForBgrTargets) {
  const auto made = preprocess(
      picture(2, 2, 3),
      params(
          R"({"target": "bgr888", "width": 4, "height": 2, "border": [0, 0, 1, 1], "background": [1, 2, 3]})"));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->tensor.as<uint8_t>()[0], 3);
  EXPECT_EQ(made->tensor.as<uint8_t>()[2], 1);
}

TEST(EspdlImage, FaultsOfTheRuntimeAreWarnings) {
  const auto made = preprocess(
      picture(3, 3, 3),
      params(R"({"target": "rgb888", "width": 3, "height": 2, "affine": [[1, 0, 0], [0, 1, 0]]})"));
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->findings.size(), 2U);
  EXPECT_EQ(made->findings[0].id, info(Rule::affine_inverse).id);
  EXPECT_EQ(made->findings[1].id, info(Rule::affine_table).id);
}

TEST(EspdlImageTexts, CornersAreOrdered) {
  const auto c = ordered_corners({PointF{5, 5}, PointF{0, 0}, PointF{5, 0}, PointF{0, 5}});
  EXPECT_EQ(c[0].x + c[0].y, 0.0F);
  EXPECT_EQ(c[1].x, 5.0F);
  EXPECT_EQ(c[1].y, 0.0F);
  EXPECT_EQ(c[2].x + c[2].y, 10.0F);
}

TEST(EspdlImageTexts, CornersWithoutAreaAreRefused) {
  EXPECT_EQ(
      failure(
          picture(8, 8, 3),
          R"({"pipeline": "ocr_rec", "width": 8, "height": 4, "exponent": -7, "box": [1, 1, 1, 1, 1, 1, 1, 1]})"),
      "IMG-CHIP-01");
}

}  // namespace
}  // namespace edgetwin::espdl_image
