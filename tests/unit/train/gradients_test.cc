// Gradients against finite differences, for each operation in the float phase.
#include <gtest/gtest.h>

#include <cmath>

#include "train/layers/fold.h"
#include "train/layers/layer.h"
#include "train/math/random.h"

namespace edgetwin::train {
namespace {

struct Example {
  LayerSpec spec;
  std::vector<Maps> inputs;
  LayerParameters parameters;
  Maps direction;  // of the output: the loss is its product with the output
};

void fill_random(std::span<float> values, Random& random, float size) {
  for (float& v : values) v = (2 * random.uniform() - 1) * size;
}

Example example_of(const LayerSpec& spec, int operands, Pair size, int channels, uint64_t seed) {
  Random random(seed, Purpose::weights);
  Example e{.spec = spec, .inputs = {}, .parameters = {}, .direction = {}};
  for (int i = 0; i < operands; ++i) {
    e.inputs.emplace_back(3, size.h, size.w, channels);
    fill_random(e.inputs.back().values, random, 0.4F);
  }
  if (spec.has_weights()) {
    e.parameters.weights.resize(spec.window.weights());
    fill_random(e.parameters.weights, random, 0.2F);
    e.parameters.bias.resize(static_cast<size_t>(spec.out_channels()));
    fill_random(e.parameters.bias, random, 0.1F);
  }
  const Pair out = spec.output_of(size);
  int out_channels = spec.has_weights() ? spec.out_channels() : channels;
  e.direction = Maps(3, out.h, out.w, out_channels);
  fill_random(e.direction.values, random, 1);
  return e;
}

std::vector<const Maps*> addresses(const std::vector<Maps>& maps) {
  std::vector<const Maps*> result;
  for (const Maps& m : maps) result.push_back(&m);
  return result;
}

double loss_of(const Example& e, ThreadPool& pool) {
  LayerParameters parameters = e.parameters;
  Tape tape;
  const Maps y = forward(e.spec, addresses(e.inputs), parameters, Phase{}, tape, pool);
  double sum = 0;
  for (size_t i = 0; i < y.values.size(); ++i) {
    sum += static_cast<double>(y.values[i]) * static_cast<double>(e.direction.values[i]);
  }
  return sum;
}

// Changes each value of `values` (which is part of `e`) and compares the change of the loss.
void expect_gradient(Example& e, std::span<float> values, std::span<const float> gradient,
                     ThreadPool& pool) {
  constexpr float kStep = 1.0F / 512;
  ASSERT_EQ(values.size(), gradient.size());
  for (size_t i = 0; i < values.size(); i += 1 + values.size() / 40) {
    const float before = values[i];
    values[i] = before + kStep;
    const double above = loss_of(e, pool);
    values[i] = before - kStep;
    const double below = loss_of(e, pool);
    values[i] = before;
    const double slope = (above - below) / (2 * static_cast<double>(kStep));
    EXPECT_NEAR(slope, static_cast<double>(gradient[i]), 4e-3 + 0.02 * std::abs(slope)) << i;
  }
}

void expect_gradients(Example e) {
  ThreadPool pool(1);
  Tape tape;
  LayerParameters parameters = e.parameters;
  forward(e.spec, addresses(e.inputs), parameters, Phase{}, tape, pool);
  const Backward b =
      backward(e.spec, addresses(e.inputs), e.parameters, tape, e.direction, true, pool);
  for (size_t i = 0; i < e.inputs.size(); ++i) {
    expect_gradient(e, e.inputs[i].values, b.sources[i].values, pool);
  }
  if (!e.spec.has_weights()) return;
  expect_gradient(e, e.parameters.weights, b.gradients.weights, pool);
  expect_gradient(e, e.parameters.bias, b.gradients.bias, pool);
  if (!e.parameters.norm) return;
  expect_gradient(e, e.parameters.norm->scale, b.gradients.norm.scale, pool);
  expect_gradient(e, e.parameters.norm->offset, b.gradients.norm.offset, pool);
}

LayerSpec convolution(int in, int out, Pair kernel, Pair pad) {
  LayerSpec spec;
  spec.op = ai8x::Operator::conv2d;
  spec.window.kernel = kernel;
  spec.window.pad = pad;
  spec.window.first = out;
  spec.window.second = in;
  return spec;
}

TEST(TrainGradients, Convolution) {
  expect_gradients(example_of(convolution(3, 4, {3, 3}, {1, 1}), 1, {5, 6}, 3, 1));
  expect_gradients(example_of(convolution(2, 5, {1, 1}, {0, 0}), 1, {4, 3}, 2, 2));
  LayerSpec grouped = convolution(4, 6, {3, 3}, {1, 1});
  grouped.window.groups = 2;
  grouped.window.stride = {2, 1};
  grouped.window.dilation = {1, 2};
  expect_gradients(example_of(grouped, 1, {7, 8}, 4, 3));
}

TEST(TrainGradients, TransposedConvolution) {
  LayerSpec spec = convolution(4, 3, {3, 3}, {1, 1});
  spec.op = ai8x::Operator::conv_transpose2d;
  spec.window.first = 4;
  spec.window.second = 3;
  spec.window.stride = {2, 2};
  spec.output_pad = {1, 1};
  EXPECT_EQ(spec.output_of({3, 4}), (Pair{6, 8}));
  expect_gradients(example_of(spec, 1, {3, 4}, 4, 4));
}

TEST(TrainGradients, PoolingAndElementwise) {
  for (const ai8x::Pooling kind : {ai8x::Pooling::max, ai8x::Pooling::average}) {
    LayerSpec spec = convolution(2, 3, {3, 3}, {1, 1});
    spec.pooling = kind;
    spec.pool = {{2, 2}, {2, 2}, {1, 1}};
    expect_gradients(example_of(spec, 1, {6, 6}, 2, 5));
    LayerSpec joined;
    joined.eltwise = ai8x::Eltwise::sub;
    joined.pooling = kind;
    joined.pool = {{2, 2}, {2, 2}, {1, 1}};
    for (const bool first : {true, false}) {
      joined.pool_first = first;
      expect_gradients(example_of(joined, 3, {4, 4}, 2, 6));
    }
  }
}

TEST(TrainGradients, LinearWithFlattening) {
  LayerSpec spec = convolution(12, 4, {1, 1}, {0, 0});
  spec.op = ai8x::Operator::linear;
  spec.flatten = true;
  expect_gradients(example_of(spec, 1, {2, 3}, 2, 7));
}

TEST(TrainGradients, ActivationsAndBatchNorm) {
  for (const auto activation : {ai8x::Activation::relu, ai8x::Activation::abs}) {
    LayerSpec spec = convolution(3, 4, {3, 3}, {1, 1});
    spec.activation = activation;
    // A bias that keeps all sums away from the bend, where differences are no gradient.
    Example plain = example_of(spec, 1, {4, 4}, 3, 8);
    for (float& b : plain.parameters.bias) b = 0.5F;
    for (float& w : plain.parameters.weights) w *= 0.2F;
    expect_gradients(plain);
  }
  Example e = example_of(convolution(3, 4, {3, 3}, {1, 1}), 1, {4, 4}, 3, 9);
  e.parameters.norm = BatchNorm{.scale = {1.0F, 0.5F, 1.5F, 0.75F},
                                .offset = {0.1F, -0.1F, 0.0F, 0.2F},
                                .mean = std::vector<float>(4, 0.0F),
                                .variance = std::vector<float>(4, 1.0F)};
  expect_gradients(e);
}

TEST(TrainFold, EqualsBatchNormInEvaluation) {
  ThreadPool pool(1);
  Example e = example_of(convolution(3, 2, {3, 3}, {1, 1}), 1, {4, 4}, 3, 10);
  e.parameters.norm = BatchNorm{.scale = {1.0F, 0.5F},
                                .offset = {0.1F, -0.1F},
                                .mean = {0.05F, -0.02F},
                                .variance = {0.5F, 2.0F}};
  Phase evaluation;
  evaluation.training = false;
  Tape tape;
  const Maps before = forward(e.spec, addresses(e.inputs), e.parameters, evaluation, tape, pool);
  fold_batch_norm(e.parameters, e.spec.window, false);
  EXPECT_FALSE(e.parameters.norm);
  const Maps after = forward(e.spec, addresses(e.inputs), e.parameters, evaluation, tape, pool);
  for (size_t i = 0; i < before.values.size(); ++i) {
    EXPECT_NEAR(before.values[i], after.values[i], 1e-6F);
  }
}

TEST(TrainEngine, ThreadsDoNotChangeABit) {
  LayerSpec spec = convolution(5, 7, {3, 3}, {1, 1});
  Random random(3, Purpose::weights);
  Maps x(37, 5, 6, 5), g(37, 5, 6, 7);
  fill_random(x.values, random, 1);
  fill_random(g.values, random, 1);
  std::vector<std::vector<float>> sums;
  for (const int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    sums.push_back(correlate(g, x, spec.window, pool));
  }
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
}

}  // namespace
}  // namespace edgetwin::train
