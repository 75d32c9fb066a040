#include "twin/values.h"

#include <gtest/gtest.h>

#include <numeric>

#include "edgetwin/inputs.h"
#include "edgetwin/network.h"
#include "source_dir.h"

namespace edgetwin::twin {
namespace {

// Bytes 0, 1, 2, …
Tensor counted(Shape shape) {
  Tensor t = Tensor::zeros(DType::int8, shape).value();
  std::iota(t.as<int8_t>().begin(), t.as<int8_t>().end(), int8_t{0});
  return t;
}

std::vector<int> numbers(const Tensor& t) {
  const auto values = t.as<int8_t>();
  return {values.begin(), values.end()};
}

TEST(Values, ChannelsGoToTheEnd) {
  const Tensor moved = channels_last(counted({1, 2, 1, 3}), ChannelPlace::first);
  EXPECT_EQ(moved.shape, (Shape{1, 1, 3, 2}));
  EXPECT_EQ(numbers(moved), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  const Tensor planes = channels_last(counted({2, 1, 3}), ChannelPlace::planes);
  EXPECT_EQ(planes.shape, (Shape{1, 3, 2}));
  EXPECT_EQ(numbers(planes), (std::vector<int>{0, 3, 1, 4, 2, 5}));
}

TEST(Values, AndBack) {
  const Tensor there = channels_last(counted({2, 3, 2, 2}), ChannelPlace::first);
  const Tensor back = channels_first(there);
  EXPECT_EQ(back.shape, (Shape{2, 3, 2, 2}));
  EXPECT_EQ(back.data, counted({2, 3, 2, 2}).data);
}

TEST(Values, TensorsWithoutAPictureStay) {
  EXPECT_EQ(channels_last(counted({2, 3}), ChannelPlace::first).data, counted({2, 3}).data);
  EXPECT_EQ(channels_last(counted({1, 2, 2}), ChannelPlace::last).data, counted({1, 2, 2}).data);
}

TEST(Values, RealsOfIntegers) {
  Tensor t = counted({3});
  t.quant = Quant::affine(0.5F, 1);
  const Tensor reals = reals_of(t);
  EXPECT_EQ(reals.as<float>()[0], -0.5F);
  EXPECT_EQ(reals.as<float>()[2], 0.5F);
}

// The same picture for a network of the MAX7800x and for one that has its channels last.
TEST(SameInputs, MovesChannelsAndQuantizesAnew) {
  OpenOptions options;
  options.target = "max78000";
  const std::string files = source_dir() + "/tests/cases/files/";
  options.weights = files + "small_weights.npy";
  options.bias = files + "small_bias.npy";
  options.sample = files + "small_sample.npy";
  const auto max78 = Network::open(files + "small_test.yaml", options);
  ASSERT_TRUE(max78.ok()) << to_text(max78.error());
  const auto from = max78->runner(), to = max78->runner();
  ASSERT_TRUE(from.ok() && to.ok());
  const auto same = same_inputs(std::vector<Tensor>{*max78->sample()}, **from, **to);
  ASSERT_TRUE(same.ok()) << to_text(same.error());
  EXPECT_EQ((*same)[0].data, max78->sample()->data);

  const auto other = Network::open(source_dir() + "/models/digits/digits_int8.tflite");
  const auto digits = other->runner();
  const auto refused = same_inputs(std::vector<Tensor>{*max78->sample()}, **from, **digits);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::input_shape);
}

}  // namespace
}  // namespace edgetwin::twin
