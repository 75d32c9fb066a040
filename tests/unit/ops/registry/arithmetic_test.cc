// The operators with arithmetic, on examples worked by hand with double rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numerics/tflite/tflite.h"
#include "ops/elementwise/prepare.h"
#include "ops/movement/prepare.h"
#include "ops/op_test.h"
#include "ops/reduce/prepare.h"
#include "ops/window/prepare.h"

namespace edgetwin::ops {
namespace {

using F = numerics::Tflite;
using Bytes8 = std::vector<int8_t>;

Quant q(float scale, int64_t zero) { return Quant::affine(scale, zero); }

Conv2DAttrs conv_attrs(Padding::Kind padding, int stride = 1) {
  Conv2DAttrs a;
  a.padding.kind = padding;
  a.stride_h = a.stride_w = stride;
  return a;
}

// 2x2 filter of ones over a 2x2 picture, SAME: taps beyond the edge are left out, not zero bytes.
TEST(Conv2D, PaddingIsLeftOut) {
  OpTest t(OpKind::conv_2d, conv_attrs(Padding::Kind::same));
  t.input(make<int8_t>({1, 2, 2, 1}, {11, 12, 13, 14}, q(1, 10)))
      .constant(make<int8_t>({1, 2, 2, 1}, {1, 1, 1, 1}, q(1, 0)))
      .constant(make<int32_t>({1}, {100}))
      .output(DType::int8, q(1, -100));
  // (1+2+3+4)+100-100, (2+4), (3+4), 4.
  EXPECT_EQ(values<int8_t>(t.result(prepare_conv_2d<F>)), (Bytes8{10, 6, 7, 4}));
}

TEST(Conv2D, ScalesPerChannelAndRelu6) {
  Conv2DAttrs a = conv_attrs(Padding::Kind::valid);
  a.activation = Activation::relu6;
  Tensor w = make<int8_t>({3, 1, 1, 1}, {10, 10, -10});
  w.quant = {Quant::Scheme::affine, {0.5F, 0.25F, 1.0F}, {0, 0, 0}, {}, 0};
  OpTest t(OpKind::conv_2d, a);
  t.input(make<int8_t>({1, 1, 1, 1}, {3}, q(0.5F, 1))).constant(w).output(DType::int8, q(0.5F, -5));
  // sum 20: 20*0.25/0.5 = 10 -> 5; 20*0.125/0.5 = 5 -> 0; RELU6 is [-5, 7].
  EXPECT_EQ(values<int8_t>(t.result(prepare_conv_2d<F>)), (Bytes8{5, 0, -5}));
}

TEST(Conv2D, GroupsShareNothing) {
  OpTest t(OpKind::conv_2d, conv_attrs(Padding::Kind::valid));
  t.input(make<int8_t>({1, 1, 1, 4}, {1, 2, 3, 4}, q(1, 0)))
      .constant(make<int8_t>({2, 1, 1, 2}, {1, 10, 1, 10}, q(1, 0)))
      .output(DType::int8, q(1, 0));
  EXPECT_EQ(values<int8_t>(t.result(prepare_conv_2d<F>)), (Bytes8{21, 43}));
}

TEST(Conv2D, SixteenBitActivations) {
  OpTest t(OpKind::conv_2d, conv_attrs(Padding::Kind::valid));
  t.input(make<int16_t>({1, 1, 1, 2}, {1000, -200}, q(1, 0)))
      .constant(make<int8_t>({1, 1, 1, 2}, {100, 50}, q(1, 0)))
      .constant(make<int64_t>({1}, {6000}))
      .output(DType::int16, q(4, 0));
  // 100000 - 10000 + 6000 = 96000; / 4 = 24000.
  EXPECT_EQ(values<int16_t>(t.result(prepare_conv_2d<F>)), std::vector<int16_t>{24000});
}

TEST(Conv2D, Refusals) {
  const Tensor x = make<int8_t>({1, 2, 2, 3}, Bytes8(12, 0), q(1, 0));
  const Tensor w = make<int8_t>({1, 1, 1, 2}, {1, 1}, q(1, 0));
  OpTest channels(OpKind::conv_2d, conv_attrs(Padding::Kind::valid));
  EXPECT_EQ(channels.input(x).constant(w).output(DType::int8, q(1, 0)).error(prepare_conv_2d<F>),
            ErrorCode::op_shape);
  const Tensor w3 = make<int8_t>({1, 1, 1, 3}, {1, 1, 1}, q(1, 0));
  OpTest stride(OpKind::conv_2d, conv_attrs(Padding::Kind::valid, 0));
  EXPECT_EQ(stride.input(x).constant(w3).output(DType::int8, q(1, 0)).error(prepare_conv_2d<F>),
            ErrorCode::op_attribute);
  OpTest bias(OpKind::conv_2d, conv_attrs(Padding::Kind::valid));
  EXPECT_EQ(bias.input(x)
                .constant(w3)
                .constant(integers({1, 2}))
                .output(DType::int8, q(1, 0))
                .error(prepare_conv_2d<F>),
            ErrorCode::op_shape);
  OpTest types(OpKind::conv_2d, conv_attrs(Padding::Kind::valid));
  EXPECT_EQ(types.input(x).constant(w3).output(DType::uint8, q(1, 0)).error(prepare_conv_2d<F>),
            ErrorCode::op_type);
  OpTest scale(OpKind::conv_2d, conv_attrs(Padding::Kind::valid));
  EXPECT_EQ(scale.input(x).constant(w3).output(DType::int8).error(prepare_conv_2d<F>),
            ErrorCode::op_quant);
  // Found by fuzz_exec: no channels, no groups.
  OpTest empty(OpKind::conv_2d, conv_attrs(Padding::Kind::valid));
  EXPECT_EQ(empty.input(make<int8_t>({1, 2, 2, 0}, {}, q(1, 0)))
                .constant(w3)
                .output(DType::int8, q(1, 0))
                .error(prepare_conv_2d<F>),
            ErrorCode::op_shape);
  OpTest large(OpKind::conv_2d, conv_attrs(Padding::Kind::valid));
  const Tensor w9 = make<int8_t>({1, 9, 9, 3}, Bytes8(243, 0), q(1, 0));
  EXPECT_EQ(large.input(x).constant(w9).output(DType::int8, q(1, 0)).error(prepare_conv_2d<F>),
            ErrorCode::op_shape);
}

TEST(DepthwiseConv2D, MultiplierTwo) {
  OpTest t(OpKind::depthwise_conv_2d, conv_attrs(Padding::Kind::valid));
  t.input(make<uint8_t>({1, 1, 1, 2}, {130, 126}, q(1, 128)))
      .constant(make<uint8_t>({1, 1, 1, 4}, {129, 130, 131, 132}, q(1, 128)))
      .output(DType::uint8, q(1, 100));
  // 2*1, 2*2, -2*3, -2*4.
  EXPECT_EQ(values<uint8_t>(t.result(prepare_depthwise_conv_2d<F>)),
            (std::vector<uint8_t>{102, 104, 94, 92}));
}

TEST(FullyConnected, RowsAndKeptDimensions) {
  FullyConnectedAttrs a;
  a.keep_num_dims = true;
  OpTest t(OpKind::fully_connected, a);
  t.input(make<int8_t>({1, 2, 2}, {1, 2, 3, 4}, q(1, 0)))
      .constant(make<int8_t>({3, 2}, {1, 0, 0, 1, 1, 1}, q(1, 0)))
      .absent()
      .output(DType::int8, q(1, 0));
  const Tensor y = t.result(prepare_fully_connected<F>);
  EXPECT_EQ(y.shape, (Shape{1, 2, 3}));
  EXPECT_EQ(values<int8_t>(y), (Bytes8{1, 2, 3, 3, 4, 7}));
}

TEST(FullyConnected, BiasInOtherUnitsIsRefused) {
  OpTest t(OpKind::fully_connected, FullyConnectedAttrs{});
  Tensor bias = integers({1});
  bias.quant = q(0.7F, 0);
  t.input(make<int8_t>({1, 1}, {1}, q(0.5F, 0)))
      .constant(make<int8_t>({1, 1}, {1}, q(1, 0)))
      .constant(bias)
      .output(DType::int8, q(1, 0));
  EXPECT_EQ(t.error(prepare_fully_connected<F>), ErrorCode::op_quant);
}

// Stride 2, 2x2 filter of ones: every input pixel becomes a 2x2 block.
TEST(TransposeConv, StrideTwoSpreadsPixels) {
  TransposeConvAttrs a;
  a.padding.kind = Padding::Kind::valid;
  a.stride_h = a.stride_w = 2;
  OpTest t(OpKind::transpose_conv, a);
  t.constant(integers({1, 2, 4, 1}))
      .constant(make<int8_t>({1, 2, 2, 1}, {1, 2, 3, 4}, q(1, 0)))
      .input(make<int8_t>({1, 1, 2, 1}, {1, 10}, q(1, 0)))
      .output(DType::int8, q(1, 0));
  EXPECT_EQ(values<int8_t>(t.result(prepare_transpose_conv<F>)),
            (Bytes8{1, 2, 10, 20, 3, 4, 30, 40}));
}

TEST(Add, DifferentScalesAndBroadcast) {
  OpTest t(OpKind::add, BinaryAttrs{});
  t.input(make<int8_t>({1, 2, 2}, {10, 20, 30, 40}, q(0.5F, 0)))
      .input(make<int8_t>({2}, {4, 8}, q(0.25F, 0)))
      .output(DType::int8, q(0.5F, 1));
  // (5 + 1) / 0.5 + 1, (10 + 2) / 0.5 + 1, …
  EXPECT_EQ(values<int8_t>(t.result(prepare_binary<F>)), (Bytes8{13, 25, 33, 45}));
}

TEST(Add, ShapesThatDoNotBroadcast) {
  OpTest t(OpKind::add, BinaryAttrs{});
  t.input(make<int8_t>({2}, {1, 2}, q(1, 0))).input(make<int8_t>({3}, {1, 2, 3}, q(1, 0)));
  EXPECT_EQ(t.output(DType::int8, q(1, 0)).error(prepare_binary<F>), ErrorCode::op_shape);
}

TEST(Sub, IntegersWrap) {
  OpTest t(OpKind::sub, BinaryAttrs{});
  t.input(make<int32_t>({2}, {INT32_MIN, 5}))
      .input(make<int32_t>({2}, {1, 7}))
      .output(DType::int32);
  EXPECT_EQ(values<int32_t>(t.result(prepare_binary<F>)), (std::vector<int32_t>{INT32_MAX, -2}));
}

TEST(Mul, Quantized) {
  OpTest t(OpKind::mul, BinaryAttrs{});
  t.input(make<uint8_t>({2}, {12, 8}, q(0.5F, 10)))
      .input(make<uint8_t>({2}, {14, 14}, q(0.5F, 10)))
      .output(DType::uint8, q(0.25F, 100));
  EXPECT_EQ(values<uint8_t>(t.result(prepare_binary<F>)), (std::vector<uint8_t>{108, 92}));
}

PoolAttrs pool_attrs(Padding::Kind padding, int size, int stride) {
  PoolAttrs a;
  a.padding.kind = padding;
  a.filter_h = a.filter_w = size;
  a.stride_h = a.stride_w = stride;
  return a;
}

TEST(AveragePool, RoundsHalfAwayAndCountsOnlyInside) {
  OpTest t(OpKind::average_pool_2d, pool_attrs(Padding::Kind::same, 2, 2));
  t.input(make<int8_t>({1, 2, 3, 1}, {-1, -2, 7, -1, -2, 8}, q(1, 0))).output(DType::int8, q(1, 0));
  // -6 / 4 = -1.5 -> -2; the last column has two taps: 15 / 2 = 7.5 -> 8.
  EXPECT_EQ(values<int8_t>(t.result(prepare_pool<F>)), (Bytes8{-2, 8}));
}

TEST(MaxPool, Unsigned) {
  OpTest t(OpKind::max_pool_2d, pool_attrs(Padding::Kind::valid, 2, 1));
  t.input(make<uint8_t>({1, 2, 3, 1}, {1, 2, 3, 4, 200, 6}, q(1, 0))).output(DType::uint8, q(1, 0));
  EXPECT_EQ(values<uint8_t>(t.result(prepare_pool<F>)), (std::vector<uint8_t>{200, 200}));
}

TEST(AveragePool, WindowInPaddingIsRefused) {
  PoolAttrs a = pool_attrs(Padding::Kind::given, 2, 1);
  a.padding.top = 2;
  OpTest t(OpKind::average_pool_2d, a);
  t.input(make<int8_t>({1, 2, 2, 1}, {1, 2, 3, 4}, q(1, 0))).output(DType::int8, q(1, 0));
  EXPECT_EQ(t.error(prepare_pool<F>), ErrorCode::op_attribute);
}

TEST(Mean, OverHeightAndWidth) {
  OpTest t(OpKind::mean, ReduceAttrs{});
  t.input(make<int8_t>({1, 2, 2, 2}, {1, 10, 2, 20, 3, 30, 4, 40}, q(1, 0)))
      .constant(integers({-3, 2}))
      .output(DType::int8, q(0.5F, 0));
  const Tensor y = t.result(prepare_reduce<F>);
  EXPECT_EQ(y.shape, (Shape{1, 2}));
  EXPECT_EQ(values<int8_t>(y), (Bytes8{5, 50}));
}

TEST(Sum, KeepsDimensionsAndIgnoresRepeatedAxes) {
  OpTest t(OpKind::sum, ReduceAttrs{true});
  t.input(make<float>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .constant(integers({1, 1, -1}))
      .output(DType::float32);
  const Tensor y = t.result(prepare_reduce<F>);
  EXPECT_EQ(y.shape, (Shape{2, 1}));
  EXPECT_EQ(values<float>(y), (std::vector<float>{6, 15}));
}

TEST(Softmax, FiveHundredEqualMaximaGiveZeros) {
  // One more than the upstream kernel takes: every result rounds to 0 (section 4.2).
  OpTest t(OpKind::softmax, SoftmaxAttrs{1.0F});
  t.input(make<int8_t>({512}, Bytes8(512, 5), q(0.1F, 0))).output(DType::int8, q(1.0F / 256, -128));
  EXPECT_EQ(values<int8_t>(t.result(prepare_softmax<F>)), Bytes8(512, -128));
}

TEST(Softmax, TwoValues) {
  OpTest t(OpKind::softmax, SoftmaxAttrs{1.0F});
  t.input(make<int8_t>({1, 2}, {0, 10}, q(0.1F, 0))).output(DType::int8, q(1.0F / 256, -128));
  // 1 / (1 + e) = 0.26894 -> 68.8 of 256.
  EXPECT_EQ(values<int8_t>(t.result(prepare_softmax<F>)), (Bytes8{69 - 128, 187 - 128}));
}

TEST(Softmax, OutputScaleIsFixed) {
  OpTest t(OpKind::softmax, SoftmaxAttrs{1.0F});
  t.input(make<int8_t>({2}, {0, 10}, q(0.1F, 0))).output(DType::int8, q(0.01F, -128));
  EXPECT_EQ(t.error(prepare_softmax<F>), ErrorCode::op_quant);
}

// Every 8-bit input of the functions, against the real function rounded: at most one step apart.
TEST(Unary, WholeRangeAgainstTheRealFunctions) {
  Bytes8 all(256);
  for (int i = 0; i < 256; ++i) all[static_cast<size_t>(i)] = static_cast<int8_t>(i - 128);
  const auto sweep = [&](OpKind kind, float scale, const Quant& out, auto real) {
    OpTest t(kind);
    t.input(make<int8_t>({256}, all, q(scale, 3))).output(DType::int8, out);
    const Bytes8 y = values<int8_t>(t.result(prepare_unary<F>));
    for (size_t i = 0; i < 256; ++i) {
      const double x = static_cast<double>(scale) * (all[i] - 3);
      const double steps = real(x) / static_cast<double>(out.scale_of(0)) +
                           static_cast<double>(out.zero_point_of(0));
      ASSERT_NEAR(y[i], std::clamp(steps, -128.0, 127.0), 1.01) << info(kind).name << " of " << x;
    }
  };
  sweep(OpKind::logistic, 0.05F, q(1.0F / 256, -128),
        [](double x) { return 1 / (1 + std::exp(-x)); });
  sweep(OpKind::tanh, 0.03F, q(1.0F / 128, 0), [](double x) { return std::tanh(x); });
  sweep(OpKind::hard_swish, 0.05F, q(0.05F, 0),
        [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; });
  sweep(OpKind::relu6, 0.1F, q(0.05F, -128), [](double x) { return std::clamp(x, 0.0, 6.0); });
  sweep(OpKind::relu_n1_to_1, 0.02F, q(0.01F, 0),
        [](double x) { return std::clamp(x, -1.0, 1.0); });
}

TEST(Quantize, FlipOfTheSignBit) {
  OpTest t(OpKind::quantize);
  t.input(make<uint8_t>({4}, {0, 127, 128, 255}, q(0.5F, 128))).output(DType::int8, q(0.5F, 0));
  EXPECT_EQ(values<int8_t>(t.result(prepare_quantize<F>)), (Bytes8{-128, -1, 0, 127}));
}

TEST(Quantize, FloatRoundsHalfAwayAndSaturates) {
  OpTest t(OpKind::quantize);
  t.input(make<float>({5}, {0.25F, -0.25F, 100.0F, -1e30F, 0.74F})).output(DType::int8, q(0.5F, 1));
  EXPECT_EQ(values<int8_t>(t.result(prepare_quantize<F>)), (Bytes8{2, 0, 127, -128, 2}));
}

TEST(L2Normalization, ThreeFourFive) {
  OpTest t(OpKind::l2_normalization, ActivationAttrs{});
  t.input(make<int8_t>({1, 2}, {30, 40}, q(0.1F, 0))).output(DType::int8, q(1.0F / 128, 0));
  EXPECT_EQ(values<int8_t>(t.result(prepare_l2_normalization<F>)), (Bytes8{77, 102}));
}

TEST(Concatenation, RescalesUnsignedAndRefusesSigned) {
  OpTest t(OpKind::concatenation, ConcatAttrs{-1, Activation::none});
  t.input(make<uint8_t>({1, 2}, {10, 20}, q(1, 0)))
      .input(make<uint8_t>({1, 1}, {100}, q(0.5F, 50)))
      .output(DType::uint8, q(1, 0));
  EXPECT_EQ(values<uint8_t>(t.result(prepare_concatenation<F>)),
            (std::vector<uint8_t>{10, 20, 25}));
  OpTest bad(OpKind::concatenation, ConcatAttrs{0, Activation::none});
  bad.input(make<int8_t>({1}, {10}, q(1, 0))).input(make<int8_t>({1}, {1}, q(0.5F, 0)));
  EXPECT_EQ(bad.output(DType::int8, q(1, 0)).error(prepare_concatenation<F>), ErrorCode::op_quant);
}

TEST(ResizeBilinear, DoublesAPicture) {
  OpTest t(OpKind::resize_bilinear, ResizeAttrs{});
  t.input(make<int8_t>({1, 1, 2, 1}, {0, 10}, q(1, 0)))
      .constant(integers({1, 4}))
      .output(DType::int8, q(1, 0));
  EXPECT_EQ(values<int8_t>(t.result(prepare_resize_bilinear<F>)), (Bytes8{0, 5, 10, 10}));
}

}  // namespace
}  // namespace edgetwin::ops
