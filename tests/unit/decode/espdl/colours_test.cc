// Coloured areas without a network.
#include <gtest/gtest.h>

#include "decode/espdl/decode.h"

namespace edgetwin::espdl_decode {
namespace {

// Grey, with rectangles of a colour.
Tensor picture(int64_t rows, int64_t columns) {
  Tensor t = Tensor::zeros(DType::uint8, {rows, columns, 3}).value();
  std::fill(t.as<uint8_t>().begin(), t.as<uint8_t>().end(), uint8_t{90});
  return t;
}

void paint(Tensor& t, std::array<int, 4> box, std::array<uint8_t, 3> colour) {
  for (int y = box[1]; y < box[3]; ++y) {
    for (int x = box[0]; x < box[2]; ++x) {
      for (size_t c = 0; c < 3; ++c) {
        t.as<uint8_t>()[static_cast<size_t>(y * t.shape[1] + x) * 3 + c] = colour[c];
      }
    }
  }
}

constexpr const char* kRed =
    R"({"name": "red", "hsv_min": [170, 100, 100], "hsv_max": [10, 255, 255], "area": 4})";

Result<Decoded> found(const Tensor& t, const std::string& members) {
  const auto params = read_params(R"({"picture": "p", )" + members + "}", "test");
  if (!params.ok()) return params.error();
  return decode_files("espdl-color", *params,
                      [&](const std::string&) { return Result<Tensor>(t); });
}

TEST(EspdlColour, BoxesInThePictureByColourAndFromTheTop) {
  Tensor t = picture(20, 40);
  paint(t, {4, 10, 12, 18}, {255, 0, 0});
  paint(t, {20, 2, 28, 6}, {250, 10, 0});
  const auto made = found(t, R"("input": [20, 10], "colors": [)" + std::string(kRed) + "]");
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  ASSERT_EQ(made->detections->size(), 2U);
  EXPECT_EQ((*made->detections)[0].box, (std::array<int, 4>{20, 2, 28, 6}));
  EXPECT_EQ((*made->detections)[1].box, (std::array<int, 4>{4, 10, 12, 18}));
  EXPECT_EQ((*made->detections)[1].pixels, 16);
  EXPECT_EQ(made->name_of(0), "red");
}

TEST(EspdlColour, CornersTouchAndSmallAreasAreDropped) {
  Tensor t = picture(10, 10);
  paint(t, {0, 0, 2, 2}, {255, 0, 0});
  paint(t, {2, 2, 4, 4}, {255, 0, 0});
  paint(t, {8, 8, 9, 9}, {255, 0, 0});
  const auto made = found(t, R"("input": [10, 10], "colors": [)" + std::string(kRed) + "]");
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  ASSERT_EQ(made->detections->size(), 1U);
  EXPECT_EQ((*made->detections)[0].box, (std::array<int, 4>{0, 0, 4, 4}));
}

TEST(EspdlColour, OpeningRemovesLinesAndClosingFillsHoles) {
  Tensor t = picture(20, 20);
  paint(t, {2, 2, 12, 12}, {255, 0, 0});
  paint(t, {12, 6, 18, 7}, {255, 0, 0});
  paint(t, {6, 6, 7, 7}, {90, 90, 90});
  const std::string colours = R"("input": [20, 20], "colors": [)" + std::string(kRed) + "]";
  const auto plain = found(t, colours);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ((*plain->detections)[0].box[2], 18);
  EXPECT_EQ((*plain->detections)[0].pixels, 105);
  const auto opened = found(t, colours + R"(, "morphology": 3)");
  ASSERT_TRUE(opened.ok());
  ASSERT_EQ(opened->detections->size(), 1U);
  EXPECT_EQ((*opened->detections)[0].box, (std::array<int, 4>{2, 2, 12, 12}));
}

TEST(EspdlColour, RefusesColoursThatTheChipRefuses) {
  const Tensor t = picture(4, 4);
  for (const char* colours : {"[]", "{}", "[3]", R"([{"name": "a"}])",
                              R"([{"hsv_min": [1, 2, 3], "hsv_max": [181, 5, 6]}])",
                              R"([{"hsv_min": [1, 2, 3], "hsv_max": [1, 5, 6]}])",
                              R"([{"hsv_min": [1, 5, 3], "hsv_max": [9, 5, 6]}])",
                              R"([{"hsv_min": [1, 2, 3], "hsv_max": [9, 5, 6], "areas": 3}])",
                              R"([{"hsv_min": [1, 2, 3], "hsv_max": [9, 5, 6], "area": -1}])",
                              R"([{"name": "a", "hsv_min": [1, 2, 3], "hsv_max": [9, 5, 6]},
            {"name": "a", "hsv_min": [1, 2, 3], "hsv_max": [9, 5, 6]}])"}) {
    EXPECT_FALSE(found(t, std::string(R"("colors": )") + colours).ok()) << colours;
  }
  EXPECT_FALSE(found(t, R"("top_k": 3)").ok());
  EXPECT_FALSE(found(t, R"("input": [300, 300], "colors": [)" + std::string(kRed) + "]").ok());
  EXPECT_FALSE(found(t, R"("source": "yuyv", "colors": [)" + std::string(kRed) + "]").ok());
}

}  // namespace
}  // namespace edgetwin::espdl_decode
