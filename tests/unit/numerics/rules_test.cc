// The house has four kinds of arithmetic to hold. One convolution walk runs here in the two
// numerics that are built and in a miniature of each of the other three families, against results
// worked out by hand: what a later target brings is a rule, not another convolution.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "numerics/tflite/tflite.h"
#include "ops/window/conv2d.h"

namespace edgetwin {
namespace {

using namespace numerics;  // NOLINT: the vocabulary under test

static_assert(AccumulateRule<tflite::Accumulate8<int8_t, Requantization::double_rounding>>);
static_assert(AccumulateRule<tflite::Accumulate8<uint8_t, Requantization::single_rounding>>);
static_assert(AccumulateRule<tflite::Accumulate16x8<int64_t, Requantization::double_rounding>>);
static_assert(AccumulateRule<float32::Accumulate>);
static_assert(BinaryRule<tflite::Binary<int8_t, Requantization::double_rounding>>);
static_assert(BinaryRule<float32::Binary>);
static_assert(UnaryRule<tflite::Function8<int8_t, Requantization::double_rounding>>);
static_assert(PoolRule<tflite::Pool<uint8_t>>);
static_assert(ReduceRule<tflite::Reduce<int8_t, Requantization::double_rounding>>);
static_assert(SoftmaxRule<tflite::Softmax<int8_t, int8_t, Requantization::double_rounding>>);

// Edge TPU: one float32 product, rounded half to even before the zero point is added.
struct MiniEdgeTpu {
  using In = uint8_t;
  using Weight = uint8_t;
  using Bias = int32_t;
  using Out = uint8_t;
  using Acc = int32_t;
  static constexpr bool kExactSum = true;
  float factor = 1.0F;

  static Result<MiniEdgeTpu> make(const AccumulateSpec& s) {
    return MiniEdgeTpu{s.in.scale_of(0) * s.weight.scale_of(0) * (1.0F / s.out.scale_of(0))};
  }
  Acc start(int) const { return 0; }
  Acc mac(Acc a, In x, Weight w, int) const { return a + x * w; }
  Out finish(Acc a, int) const {
    return static_cast<Out>(
        saturate_float(round_float(static_cast<float>(a) * factor, Rounding::half_even), 0, 255));
  }
};

// ESP-DL on the S3: 20-bit lanes that saturate after every product, a shift that rounds half up.
struct MiniEspS3 {
  using In = int8_t;
  using Weight = int8_t;
  using Bias = int32_t;
  using Out = int8_t;
  using Acc = int32_t;
  static constexpr bool kExactSum = false;
  int shift = 0;

  static Result<MiniEspS3> make(const AccumulateSpec& s) {
    return MiniEspS3{s.out.exponent[0] - s.in.exponent[0] - s.weight.exponent[0]};
  }
  Acc start(int) const { return 0; }
  Acc mac(Acc a, In x, Weight w, int) const {
    return static_cast<Acc>(saturate_bits(a + x * w, 20));
  }
  Out finish(Acc a, int) const { return saturate<Out>(half_up_shift(a, shift)); }
};

// MAX7800x: Q7 activations, 4-bit weights as integers, a sum that never saturates.
struct MiniMax7800x {
  using In = int8_t;
  using Weight = int8_t;
  using Bias = int8_t;
  using Out = int8_t;
  using Acc = int64_t;
  static constexpr bool kExactSum = true;
  int output_shift = 0;  // the layer's, plus 8 - weight bits

  static Result<MiniMax7800x> make(const AccumulateSpec&) { return MiniMax7800x{8 - 4}; }
  Acc start(int) const { return 128 * 3; }
  Acc mac(Acc a, In x, Weight w, int) const { return a + x * w; }
  Out finish(Acc a, int) const { return saturate<Out>(half_up_shift(a, 7 - output_shift)); }
};

static_assert(AccumulateRule<MiniEdgeTpu> && AccumulateRule<MiniEspS3> &&
              AccumulateRule<MiniMax7800x>);

// A 1x1 convolution of N input channels to one output.
template <class Rule, size_t N>
int convolve(const Rule& rule, std::array<typename Rule::In, N> x,
             std::array<typename Rule::Weight, N> w) {
  const Window2D g{.in_h = 1, .in_w = 1, .in_c = N, .out_h = 1, .out_w = 1, .out_c = 1};
  typename Rule::Out y{};
  ops::conv_2d<Rule>(g, {x.data(), 1, 1, 1, N}, {w.data(), 1, 1, 1, N}, rule, {&y, 1, 1, 1, 1}, 0,
                     1);
  return y;
}

AccumulateSpec affine_spec(float in, float weight, float out) {
  AccumulateSpec s;
  s.in = Quant::affine(in, 0);
  s.weight = Quant::affine(weight, 0);
  s.out = Quant::affine(out, 0);
  s.channels = 1;
  return s;
}

// 5 * 0.25 and 10 * 0.25: the four roundings part here.
TEST(Numerics, TheSameSumEndsDifferently) {
  using Double = tflite::Accumulate8<int8_t, Requantization::double_rounding>;
  using Single = tflite::Accumulate8<int8_t, Requantization::single_rounding>;
  const AccumulateSpec s = affine_spec(0.5F, 0.5F, 1.0F);
  EXPECT_EQ(convolve<Double>(*Double::make(s), std::array<int8_t, 1>{5}, {1}),
            2);  // 2.5 -> 3, 1.5 -> 2
  EXPECT_EQ(convolve<Single>(*Single::make(s), std::array<int8_t, 1>{5}, {1}), 1);   // 1.25 -> 1
  EXPECT_EQ(convolve<Single>(*Single::make(s), std::array<int8_t, 1>{10}, {1}), 3);  // 2.5 -> 3
  const auto tpu = *MiniEdgeTpu::make(s);
  EXPECT_EQ(convolve<MiniEdgeTpu>(tpu, std::array<uint8_t, 1>{10}, {1}), 2);  // 2.5 -> 2
  EXPECT_EQ(convolve<MiniEdgeTpu>(tpu, std::array<uint8_t, 1>{14}, {1}), 4);  // 3.5 -> 4
}

TEST(Numerics, SaturatingLanesDependOnTheOrder) {
  AccumulateSpec s;
  s.in = Quant::power_of_two(0);
  s.weight = Quant::power_of_two(0);
  s.out = Quant::power_of_two(13);
  const auto rule = *MiniEspS3::make(s);
  // 40 products of 127 * 127 = 645160 exceed 2^19 - 1 = 524287; one of -128 * 127 follows.
  std::array<int8_t, 41> x{};
  std::array<int8_t, 41> w{};
  x.fill(127);
  w.fill(127);
  x[40] = -128;
  EXPECT_EQ(convolve<MiniEspS3>(rule, x, w), (524287 - 128 * 127 + 4096) >> 13);
  std::swap(x[0], x[40]);
  EXPECT_EQ(convolve<MiniEspS3>(rule, x, w), (524287 + 4096) >> 13);
}

TEST(Numerics, NarrowWeightsAndQ7) {
  const auto rule = *MiniMax7800x::make({});
  // 128 * 3 + 100 * -8 = -416; * 2^4 / 128 = -52.
  EXPECT_EQ(convolve<MiniMax7800x>(rule, std::array<int8_t, 1>{100}, {-8}), -52);
  EXPECT_EQ(convolve<MiniMax7800x>(rule, std::array<int8_t, 2>{127, 127}, {7, 7}), 127);
}

}  // namespace
}  // namespace edgetwin
