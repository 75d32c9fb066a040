// New numbers in a compiled dense layer of our own, found without its uncompiled form.
#include "targets/edgetpu/params/patch.h"

#include <gtest/gtest.h>

#include "targets/edgetpu/params/build.h"
#include "targets/edgetpu/params/single_layer.h"
#include "targets/edgetpu/params/tensor_numbers.h"
#include "unit/targets/edgetpu/params/dense_model.h"

namespace edgetwin::edgetpu {
namespace {

struct PatchedModel {
  Bytes data;
  darwinn::File file;
  Located located;

  explicit PatchedModel(Bytes bytes)
      : data(std::move(bytes)),
        file(std::move(darwinn::read(data, "dense")).value()),
        located(locate_alone(file)) {}
  explicit PatchedModel(bool per_channel)
      : PatchedModel(std::move(darwinn::write_executable(dense_executable(per_channel))).value()) {}

  Result<Patched> patch_with(const LayerPatch& p) const { return patch(data, file, located, {p}); }
  TensorNumbers numbers() const {
    return weighted_tensors(*file.ops[0].packages[0].inference()).at(0).numbers;
  }
};

Tensor array(DType type, const Shape& shape) {
  return std::move(Tensor::zeros(type, shape)).value();
}

Tensor number(float value) {
  Tensor t = array(DType::float32, {1});
  t.as<float>()[0] = value;
  return t;
}

TEST(Patch, TheLayerIsFoundFromItsProgram) {
  for (const bool per_channel : {false, true}) {
    const PatchedModel c(per_channel);
    ASSERT_EQ(c.located.pieces.size(), 1U);
    EXPECT_EQ(c.located.pieces[0].shape, dense_shape(per_channel));
    EXPECT_EQ(c.located.total_explained(), c.located.total());
    EXPECT_TRUE(build(c.located)[0].equal);
    const auto content = content_of(c.located, 0);
    ASSERT_TRUE(content.ok());
    EXPECT_EQ(content->weights, dense_content(per_channel).weights);
    EXPECT_EQ(content->bias, dense_content(per_channel).bias);
  }
}

TEST(Patch, IntegerWeightsKeepTheScales) {
  const PatchedModel c(true);
  Tensor weights = array(DType::int8, {13, 30});
  for (size_t i = 0; i < weights.data.size(); ++i)
    weights.data[i] = static_cast<std::byte>(i % 200);
  const auto patched = c.patch_with({"0", weights, {}, {}});
  ASSERT_TRUE(patched.ok()) << to_text(patched.error());
  const PatchedModel again(patched->file);
  const auto content = content_of(again.located, 0);
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(to_model_order(again.located.layers[0], content->weights), weights.data);
  EXPECT_EQ(content->scales, dense_content(true).scales);
  EXPECT_EQ(content->bias, dense_content(true).bias);
}

TEST(Patch, FloatWeightsGetTheScalesOfTheirLargestValues) {
  const PatchedModel c(true);
  Tensor weights = array(DType::float32, {13, 30});
  for (size_t i = 0; i < 13 * 30; ++i) weights.as<float>()[i] = i % 30 == 3 ? -12.7F : 0.1F;
  const auto patched = c.patch_with({"out", weights, {}, {}});
  ASSERT_TRUE(patched.ok()) << to_text(patched.error());
  const PatchedModel again(patched->file);
  const auto content = content_of(again.located, 0);
  ASSERT_TRUE(content.ok());
  const float scale = 12.7F / 127.0F;
  EXPECT_EQ(content->scales[5], (kDenseInput * scale) * (1.0F / kDenseOutput));
  EXPECT_EQ(content->weights[5 * 30 + 3], std::byte{1});
  EXPECT_EQ(content->weights[5 * 30 + 4], std::byte{129});
  // The bias keeps its real value: 200 units of 0.75 in units of the new scale.
  EXPECT_EQ(content->bias[5], static_cast<int32_t>(std::lround(200 * 0.75F / scale)));
}

TEST(Patch, ThePerTensorScaleIsTheMultiplierOfTheInstruction) {
  const PatchedModel c(false);
  const auto patched = c.patch_with({"0", {}, {}, number(0.03F)});
  ASSERT_TRUE(patched.ok()) << to_text(patched.error());
  EXPECT_EQ(patched->layers[0].instructions, 1U);
  EXPECT_EQ(patched->layers[0].changed, 0U);
  const PatchedModel again(patched->file);
  EXPECT_EQ(again.numbers().multiplier, (kDenseInput * 0.03F) * (1.0F / kDenseOutput));
  EXPECT_EQ(again.numbers().upper, c.numbers().upper);
}

ErrorCode refusal(const PatchedModel& c, const LayerPatch& p) {
  const auto result = c.patch_with(p);
  return result.ok() ? ErrorCode::internal : result.error().code;
}

TEST(Patch, RefusesWhatTheTemplateCannotTake) {
  const PatchedModel c(false);
  Tensor bias = array(DType::int32, {13});
  bias.as<int32_t>()[4] = 1;
  EXPECT_EQ(refusal(c, {"0", {}, bias, {}}), ErrorCode::params_template);
  Tensor scales = array(DType::float32, {13});
  for (size_t i = 0; i < 13; ++i) scales.as<float>()[i] = static_cast<float>(i + 1);
  EXPECT_EQ(refusal(c, {"0", {}, {}, scales}), ErrorCode::params_template);
  EXPECT_EQ(refusal(c, {"0", {}, {}, number(0.0F)}), ErrorCode::params_array);
  EXPECT_EQ(refusal(c, {"0", array(DType::int8, {13, 31}), {}, {}}), ErrorCode::params_array);
  EXPECT_EQ(refusal(c, {"0", array(DType::uint8, {13, 30}), {}, {}}), ErrorCode::params_array);
  EXPECT_EQ(refusal(c, {"1", {}, {}, number(1.0F)}), ErrorCode::params_layer);
}

}  // namespace
}  // namespace edgetwin::edgetpu
