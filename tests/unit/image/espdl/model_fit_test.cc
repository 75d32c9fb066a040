// A pipeline against the input of a model.
#include "image/espdl/model_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgetwin::espdl_image {
namespace {

using ::testing::HasSubstr;

ModelInput byte_input(int exponent) {
  return {"images", {1, 224, 224, 3}, DType::int8, Quant::power_of_two(exponent)};
}

Params told(const std::string& text) {
  const auto read = read_params(text, "P.json");
  EXPECT_TRUE(read.ok()) << to_text(read.error());
  return read.ok() ? *read : Params();
}

TEST(ModelFit, WhatSuitsHasNoFinding) {
  const Params p = told(R"({"target": "rgb888_qint8", "mean": [0, 0, 0], "std": [255, 255, 255]})");
  EXPECT_TRUE(model_fit(p, byte_input(-7)).empty());
  EXPECT_TRUE(model_fit(p, byte_input(-6)).empty()) << "white is 64";
}

TEST(ModelFit, EveryInputIs127WhereTheDeviationIsOnAnotherScale) {
  const Params p = told(R"({"target": "rgb888_qint8", "mean": [0, 0, 0], "std": [1, 1, 1]})");
  const auto found = model_fit(p, byte_input(-7));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].id, "IMG-MODEL-02");
  EXPECT_THAT(found[0].message, HasSubstr("black gives 0, white 127; 255 of 256 levels"));
  // The other way round nothing is left of the picture.
  const auto dark = model_fit(p, byte_input(5));
  ASSERT_EQ(dark.size(), 3U);
  EXPECT_THAT(dark[0].message, HasSubstr("are used"));
}

TEST(ModelFit, OtherSizesTypesAndExponentsAreNamed) {
  const Params p = told(
      R"({"target": "gray_qint16", "mean": [0], "std": [255], "width": 320, "height": 224,
          "exponent": -12})");
  const auto found = model_fit(p, byte_input(-7));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0].message, HasSubstr("320 x 224"));
  EXPECT_THAT(found[1].message, HasSubstr("2^5 times"));
  EXPECT_THAT(found[2].message, HasSubstr("gray_qint16"));
  for (const Finding& f : found) EXPECT_EQ(f.id, "IMG-MODEL-01");
}

TEST(ModelFit, AModelWithoutAPictureIsNamed) {
  const ModelInput vector{"x", {1, 4}, DType::int16, Quant::power_of_two(-12)};
  const auto found = model_fit(told(R"({"target": "rgb888"})"), vector);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "IMG-MODEL-01");
  EXPECT_THAT(found[0].message, HasSubstr("the model reads 1x4"));
}

}  // namespace
}  // namespace edgetwin::espdl_image
