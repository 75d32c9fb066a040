// Attributions of networks whose answer is known.
#include "train/judge/attribution.h"

#include <gtest/gtest.h>

#include "image/image.h"
#include "train/network/parameters.h"

namespace edgetwin::train {
namespace {

// Two outputs of a picture of 4 x 4 places and 2 channels: one sums the left half of channel 0,
// one the negative of it.
Model halves() {
  NetworkLayer layer;
  layer.name = "fc";
  layer.sources = {kNetworkInput};
  layer.spec.op = ai8x::Operator::linear;
  layer.spec.flatten = true;
  layer.spec.wide = true;
  layer.spec.window.first = 2;
  layer.spec.window.second = 32;
  layer.is_output = true;
  layer.input = {2, {4, 4}};
  layer.output = {2, {1, 1}};
  Model model;
  model.network.input = layer.input;
  model.network.layers = {layer};
  initialize(model, 1);
  LayerParameters& p = model.parameters[0];
  p.bias = {0.25F, 0.25F};
  for (size_t i = 0; i < 32; ++i) {
    const bool left = i < 16 && i % 4 < 2;
    p.weights[i] = left ? 0.5F : 0.0F;
    p.weights[32 + i] = left ? -0.5F : 0.0F;
  }
  return model;
}

TEST(TrainAttribution, GradientTimesInputAndCoveringAgreeOfALinearNetwork) {
  Model model = halves();
  Maps input(1, 4, 4, 2);
  for (size_t i = 0; i < input.values.size(); ++i) {
    input.values[i] = static_cast<float>(i % 7) / 8 - 0.25F;
  }
  ThreadPool pool(1);
  const std::vector<Attribution> covered = occlusion(model, input, pool);
  ASSERT_EQ(covered.size(), 2U);
  for (int k = 0; k < 2; ++k) {
    const Attribution a = gradient_times_input(model, input, k, pool);
    ASSERT_EQ(a.width, 4);
    ASSERT_EQ(a.height, 4);
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 4; ++x) {
        const float weight = x < 2 ? (k == 0 ? 0.5F : -0.5F) : 0.0F;
        const float wanted = weight * input.at(0, y, x)[0];
        const auto at = static_cast<size_t>(4 * y + x);
        EXPECT_FLOAT_EQ(a.values[at], wanted);
        // A square of one place, since the picture is smaller than seven squares.
        EXPECT_NEAR(covered[static_cast<size_t>(k)].values[at], wanted, 1e-6F);
      }
    }
  }
}

TEST(TrainAttribution, DrawsOneColumnPerClass) {
  Model model = halves();
  DataSet data;
  data.channels = 2;
  data.height = data.width = 4;
  data.bytes.assign(32, 200);
  data.labels = {1};
  ThreadPool pool(1);
  const auto png = attribution_picture(model, data, {"left", "right"}, 0, pool);
  ASSERT_TRUE(png.ok());
  const auto picture = decode_image(*png, "a.png");
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->shape[1], 3 * 120 + 8);  // the item and two classes
}

}  // namespace
}  // namespace edgetwin::train
