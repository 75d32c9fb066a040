// The fast walks against the plain loops: every bit, over awkward shapes.
#include "train/engine/fast.h"

#include <gtest/gtest.h>

#include <cmath>

#include "train/engine/pooling.h"
#include "train/math/random.h"

namespace edgetwin::train {
namespace {

Maps random_maps(int n, int h, int w, int c, Random& random) {
  Maps maps(n, h, w, c);
  for (float& v : maps.values) v = 2 * random.uniform() - 1;
  return maps;
}

struct PlainLoops {
  PlainLoops() { use_plain_loops(true); }
  ~PlainLoops() { use_plain_loops(false); }
};

// `line`: of one dimension, a kernel of one column.
void expect_equal(int in, int out, Pair size, int kernel, int pad, bool line = false) {
  SCOPED_TRACE(std::to_string(in) + " to " + std::to_string(out) + " channels, " +
               std::to_string(size.h) + "x" + std::to_string(size.w) + ", kernel " +
               std::to_string(kernel) + ", pad " + std::to_string(pad));
  Random random(11, Purpose::weights, static_cast<uint64_t>(in), static_cast<uint64_t>(out));
  Window window;
  window.kernel = {kernel, line ? 1 : kernel};
  window.pad = {pad, line ? 0 : pad};
  window.first = out;
  window.second = in;
  const Pair small = window.small_of(size);
  const Maps x = random_maps(3, size.h, size.w, in, random);
  const Maps g = random_maps(3, small.h, small.w, out, random);
  std::vector<float> weights(window.weights()), bias(static_cast<size_t>(out));
  for (float& v : weights) v = 2 * random.uniform() - 1;
  for (float& v : bias) v = random.uniform();
  ThreadPool pool(1);
  const Maps fast_y = gather(x, weights, bias, window, pool);
  const Maps fast_x = scatter(g, weights, {}, window, size, pool);
  const std::vector<float> fast_w = correlate(g, x, window, pool);
  // In one pass, where each picture of the gradient is changed first and each output afterwards.
  ThreadPool two(2);
  const ItemHook doubled = [](Maps& maps, int first, int last) {
    for (int64_t i = first * maps.item_size(); i < last * maps.item_size(); ++i) {
      maps.values[static_cast<size_t>(i)] *= 2;
    }
  };
  Maps half = g, twice = fast_y;
  for (float& v : half.values) v /= 2;
  for (float& v : twice.values) v *= 2;
  const ConvolutionGradients together =
      convolution_gradients(half, x, weights, window, {.bias = true, .input = true}, two, doubled);
  EXPECT_EQ(gather(x, weights, bias, window, two, doubled).values, twice.values);
  const PlainLoops plain;
  EXPECT_EQ(half.values, g.values);
  EXPECT_EQ(together.weights, correlate(g, x, window, pool));
  EXPECT_EQ(together.bias, channel_sums(g, pool));
  EXPECT_EQ(together.input.values, scatter(g, weights, {}, window, size, pool).values);
  EXPECT_FALSE(fast_gather(x, weights, bias, window, pool));
  EXPECT_EQ(fast_y.values, gather(x, weights, bias, window, pool).values);
  EXPECT_EQ(fast_x.values, scatter(g, weights, {}, window, size, pool).values);
  EXPECT_EQ(fast_w, correlate(g, x, window, pool));
}

TEST(TrainFast, EqualsThePlainLoops) {
  for (const int in : {1, 3, 15, 17}) {
    for (const int out : {1, 16, 33, 70}) {
      expect_equal(in, out, {5, 7}, 3, 1);
      expect_equal(in, out, {4, 5}, 1, 0);
    }
  }
  expect_equal(5, 20, {1, 1}, 1, 0);
  expect_equal(2, 64, {6, 6}, 3, 2);
  expect_equal(2, 8, {7, 13}, 3, 0);
  for (const int length : {1, 5, 14, 37}) {
    for (const int out : {5, 16, 50}) expect_equal(7, out, {length, 1}, 3, 1, true);
    expect_equal(13, 20, {length, 1}, 1, 0, true);
  }
  expect_equal(3, 33, {20, 1}, 6, 2, true);
  // The last group of channels in vectors of every width.
  for (const int out : {4, 8, 12, 20, 23, 28, 60, 100}) {
    expect_equal(6, out, {6, 9}, 3, 2);
    expect_equal(out, 5, {3, 4}, 3, 1);
    expect_equal(out, 9, {15, 1}, 3, 1, true);
  }
  // Rows of the kernel that lie outside of the picture altogether.
  expect_equal(9, 13, {1, 1}, 3, 1);
  expect_equal(1, 17, {2, 2}, 5, 4);
  // Rows of every length between one and two tiles.
  for (int width = 1; width <= 13; ++width) expect_equal(width, 18, {2, width}, 3, 1);
}

// Windows that touch, overlap and leave gaps; equal values, of which the first tap counts.
TEST(TrainFast, GradientsOfMaximaEqualThePlainLoops) {
  for (const int channels : {1, 7, 8, 16, 33, 60}) {
    for (const PoolWindow& window :
         {PoolWindow{{2, 2}, {2, 2}, {1, 1}}, PoolWindow{{3, 3}, {1, 2}, {1, 1}},
          PoolWindow{{2, 3}, {3, 3}, {1, 1}}, PoolWindow{{4, 1}, {2, 1}, {1, 1}},
          PoolWindow{{2, 2}, {1, 1}, {2, 3}}, PoolWindow{{3, 11}, {3, 11}, {1, 1}}}) {
      Random random(12, Purpose::weights, static_cast<uint64_t>(channels), 0);
      Maps x = random_maps(3, 9, 11, channels, random);
      for (float& v : x.values) v = std::round(4 * v);
      const Pair size = window.output_of({x.h, x.w});
      const Maps g = random_maps(3, size.h, size.w, channels, random);
      ThreadPool pool(2);
      const Maps fast = max_pool_gradient(x, g, window, pool);
      const PlainLoops plain;
      EXPECT_EQ(fast.values, max_pool_gradient(x, g, window, pool).values) << channels;
    }
  }
}

// Vectors against the task for one value, with values at and about every border.
TEST(TrainFast, OutputStagesEqualThePlainOnes) {
  const TileFunctions* tiles = fast_tiles();
  if (tiles == nullptr) GTEST_SKIP() << "this processor has no FMA";
  std::vector<float> start = {0.0F,   -0.0F,     1e-40F,     -1e-40F, 0.5F / 128,   -0.5F / 128,
                              1,      -1,        2,          -2,      127.0F / 128, 1e30F,
                              -1e30F, HUGE_VALF, -HUGE_VALF, NAN,     32768,        -32768.5F};
  Random random(4, Purpose::weights);
  for (int i = 0; i < 999; ++i) start.push_back(3 * (2 * random.uniform() - 1));
  for (int i = -300; i < 300; ++i) start.push_back((static_cast<float>(i) + 0.5F) / 256);
  for (const auto activation :
       {FinishActivation::none, FinishActivation::relu, FinishActivation::abs}) {
    for (const auto rounding : {FinishRounding::no, FinishRounding::small, FinishRounding::wide}) {
      const bool wide = rounding == FinishRounding::wide;
      FinishTask task{
          .scale = 0.5F, .low = wide ? -32768.0F : -1.0F, .high = wide ? 32768.0F : 127.0F / 128};
      task.grid = wide ? 16384 : 128;
      task.activation = activation;
      task.rounding = rounding;
      std::vector<float> fast = start, plain = start;
      std::vector<int8_t> fast_factors(start.size()), plain_factors(start.size());
      task.count = static_cast<int64_t>(start.size());
      task.values = fast.data();
      task.factors = fast_factors.data();
      tiles->finish(task);
      task.values = plain.data();
      task.factors = plain_factors.data();
      for (int64_t i = 0; i < task.count; ++i) finish_value(task, i);
      EXPECT_EQ(fast_factors, plain_factors);
      for (size_t i = 0; i < start.size(); ++i) {
        const bool both_nan = std::isnan(fast[i]) && std::isnan(plain[i]);
        EXPECT_TRUE(both_nan || fast[i] == plain[i])
            << start[i] << ": " << fast[i] << ", " << plain[i];
      }
    }
  }
}

}  // namespace
}  // namespace edgetwin::train
