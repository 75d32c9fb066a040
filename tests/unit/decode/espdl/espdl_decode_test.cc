#include "decode/espdl/decode.h"

#include <gtest/gtest.h>

#include <cmath>

#include "decode/espdl/core/nms.h"
#include "decode/espdl/core/outputs.h"
#include "decode/espdl/text/rectangle.h"

namespace edgetwin::espdl_decode {
namespace {

Tensor output(const std::string& name, const Shape& shape, int exponent) {
  Tensor t = Tensor::zeros(DType::int8, shape).value();
  t.name = name;
  t.quant = Quant::power_of_two(exponent);
  return t;
}

Detection box(std::array<int, 4> corners, float score) {
  Detection d;
  d.box = corners;
  d.score = score;
  return d;
}

Params params(const std::string& text) {
  auto read = read_params(text, "test");
  EXPECT_TRUE(read.ok()) << to_text(read.error());
  return std::move(read).value();
}

TEST(EspdlDecodeParams, RefusesOtherMembersAndKinds) {
  for (const char* text : {"[]", R"({"topk": 3})", R"({"top_k": 0})", R"({"source": [640]})",
                           R"({"source": "hsv_mask"})", R"({"softmax": 1})", R"({"deleted": [0]})",
                           R"({"score_threshold": "a"})"}) {
    const auto read = read_params(text, "test");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::bad_value) << text;
  }
}

TEST(EspdlDecodeThreshold, IsAStepOfTheOutput) {
  Tensor t = output("score", {1, 2, 1, 1}, -2);
  t.as<int8_t>()[0] = -4;
  t.as<int8_t>()[1] = -3;
  const auto map = Map::of(t);
  ASSERT_TRUE(map.ok());
  const Threshold threshold(*map, inverse_sigmoid(0.25F), numerics::Rounding::half_up);
  EXPECT_FALSE(threshold.exceeds(*map, 0, 0));
  EXPECT_TRUE(threshold.reaches(*map, 0, 0));
  EXPECT_TRUE(threshold.exceeds(*map, 1, 0));
  EXPECT_NEAR(sigmoid(map->real(1, 0)), 0.3208F, 1e-4F);
  const Threshold never(*map, inverse_sigmoid(1.0F), numerics::Rounding::half_up);
  EXPECT_FALSE(never.exceeds(*map, 1, 0));
}

TEST(EspdlDecodeSuppression, KnowsNoClassesAndStopsAtTheLast) {
  std::vector<Detection> found = {box({0, 0, 9, 9}, 0.5F), box({0, 0, 9, 8}, 0.9F),
                                  box({20, 20, 29, 29}, 0.4F), box({20, 20, 29, 29}, 0.3F)};
  found[0].category = 7;
  sort_by_score(found);
  std::vector<Detection> two = found;
  suppress(two, 0.7F, 10);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].box[3], 8);
  suppress(found, 0.7F, 1);
  EXPECT_EQ(found.size(), 1U);
}

TEST(EspdlDecodeSuppression, EqualScoresKeepTheirOrder) {
  std::vector<Detection> found = {box({0, 0, 1, 1}, 0.5F), box({5, 5, 6, 6}, 0.5F)};
  sort_by_score(found);
  EXPECT_EQ(found[0].box[0], 0);
}

TEST(EspdlDecode, MissingOutputsAreNamed) {
  const std::vector<Tensor> outputs = {output("box0", {1, 2, 2, 4}, -4)};
  const auto decoded =
      decode("espdl-espdet", outputs, params(R"({"source": [16, 16], "input": [16, 16]})"));
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().code, ErrorCode::decode_maps);
  EXPECT_EQ(decode("espdl-nothing", outputs, {}).error().code, ErrorCode::usage);
}

TEST(EspdlDecode, FeaturesHaveTheLengthOne) {
  std::vector<Tensor> outputs = {output("embedding", {1, 4}, -5)};
  outputs[0].as<int8_t>()[0] = 30;
  outputs[0].as<int8_t>()[3] = -40;
  const auto decoded = decode("espdl-feature", outputs, {});
  ASSERT_TRUE(decoded.ok());
  EXPECT_NEAR(decoded->arrays[0].as<float>()[0], 0.6F, 1e-6F);
  EXPECT_NEAR(decoded->arrays[0].as<float>()[3], -0.8F, 1e-6F);
  outputs[0] = output("embedding", {1, 4}, -5);
  EXPECT_FALSE(decode("espdl-feature", outputs, {}).ok());
}

TEST(EspdlDecode, DictionariesOfAnotherLengthAreRefused) {
  std::vector<Tensor> outputs = {output("logits", {1, 3, 4}, -2)};
  outputs[0].as<int8_t>()[2] = 50;   // step 0: class 2
  outputs[0].as<int8_t>()[6] = 50;   // step 1: class 2 again
  outputs[0].as<int8_t>()[11] = 50;  // step 2: class 3
  const auto read = decode("espdl-ocr-rec", outputs, {}, {"", "a", "b", "c"});
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->text_of(*read->text), "bc");
  EXPECT_FALSE(decode("espdl-ocr-rec", outputs, {}, {"", "a"}).ok());
}

TEST(EspdlDecode, MotionBeyondThePictureIsRefused) {
  Tensor a = Tensor::zeros(DType::uint8, {2, 3, 1}).value();
  const auto load = [&a](const std::string&) -> Result<Tensor> { return a; };
  const auto narrow = params(R"({"first": "a", "second": "b", "source": "gray", "stride": 2})");
  const auto counted = decode_files("espdl-motion", narrow, load);
  EXPECT_TRUE(counted.ok());
  a = Tensor::zeros(DType::uint8, {5, 3, 1}).value();
  const auto far = params(R"({"first": "a", "second": "b", "source": "gray", "stride": 1})");
  EXPECT_EQ(*decode_files("espdl-motion", far, load)->moving_points, 0);
}

TEST(EspdlDecodeTexts, SmallestRectangleOfASquare) {
  const Rectangle r = smallest_rectangle({{0, 0}, {4, 0}, {4, 2}, {0, 2}, {2, 0}, {2, 2}});
  EXPECT_FLOAT_EQ(r.short_side, 2.0F);
  EXPECT_FLOAT_EQ(std::abs(signed_area(r.corners)), 8.0F);
  EXPECT_FLOAT_EQ(smallest_rectangle({{3, 3}}).short_side, 0.0F);
  EXPECT_TRUE(grown_outline(smallest_rectangle({{3, 3}}).corners, 1.4F).empty());
}

}  // namespace
}  // namespace edgetwin::espdl_decode
