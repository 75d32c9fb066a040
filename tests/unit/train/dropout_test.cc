// Dropout: how much is left out, that the gradient goes where the output went, the same draw again.
#include <gtest/gtest.h>

#include "train/network/parameters.h"

namespace edgetwin::train {
namespace {

Model two_layers(float probability) {
  Model model;
  for (int i = 0; i < 2; ++i) {
    NetworkLayer layer;
    layer.name = "fc" + std::to_string(i);
    layer.sources = {i - 1};
    layer.spec.op = ai8x::Operator::linear;
    layer.spec.window.first = layer.spec.window.second = 64;
    layer.spec.wide = i == 1;
    layer.is_output = i == 1;
    layer.input = layer.output = {64, {1, 1}};
    layer.dropout = i == 0 ? probability : 0;
    model.network.layers.push_back(layer);
  }
  model.network.input = {64, {1, 1}};
  initialize(model, 3);
  return model;
}

TEST(TrainDropout, LeavesOutAndMakesUp) {
  Model model = two_layers(0.25F);
  Maps input(100, 1, 1, 64);
  for (size_t i = 0; i < input.values.size(); ++i) {
    input.values[i] = static_cast<float>(i % 5) / 8;
  }
  ThreadPool pool(2);
  Recording plain, one, again, other;
  forward(model, input, true, plain, pool);
  const Dropout draw{7, 1, 2}, next{7, 1, 3};
  forward(model, input, true, one, pool, &draw);
  forward(model, input, true, again, pool, &draw);
  forward(model, input, true, other, pool, &next);
  EXPECT_EQ(one.outputs[1].values, again.outputs[1].values);
  EXPECT_NE(one.outputs[1].values, other.outputs[1].values);
  EXPECT_TRUE(plain.kept[0].empty());
  size_t zeros = 0;
  for (size_t i = 0; i < one.kept[0].size(); ++i) {
    zeros += one.kept[0][i] == 0 ? 1 : 0;
    EXPECT_EQ(one.outputs[0].values[i], plain.outputs[0].values[i] * one.kept[0][i]);
  }
  EXPECT_NEAR(static_cast<double>(zeros) / 6400, 0.25, 0.03);
  // The gradient of an output that was left out is 0: that of the first layer's bias is the sum
  // over what was kept.
  Maps gradient(100, 1, 1, 64);
  for (float& v : gradient.values) v = 1;
  std::vector<std::pair<size_t, Maps>> gradients;
  gradients.emplace_back(1, gradient);
  const auto own = backward(model, one, std::move(gradients), pool);
  for (size_t c = 0; c < 64; ++c) {
    double back = 0, kept = 0;
    for (size_t k = 0; k < 64; ++k) {
      back += static_cast<double>(model.parameters[1].weights[k * 64 + c]);
    }
    for (size_t i = 0; i < 100; ++i) {
      const auto at = static_cast<size_t>(i * 64 + c);
      kept += static_cast<double>(one.kept[0][at]) * one.tapes[0].mask[at];
    }
    EXPECT_NEAR(own[0].bias[c], back * kept, 1e-3) << c;
  }
}

}  // namespace
}  // namespace edgetwin::train
