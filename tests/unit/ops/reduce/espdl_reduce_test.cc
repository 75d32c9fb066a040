// Reductions, Softmax and normalizations of ESP-DL over axes.
// Source: specification of the runtime, operators 4.2, 8 and 10.
#include "ops/espdl_op_test.h"

namespace edgetwin::ops {
namespace {

struct Axes {
  std::vector<int64_t> list;
  bool keep = true, noop = false, given = true;
};

OpTest reduce(OpKind kind, const Shape& shape, const Axes& axes, const Shape& declared) {
  OpTest t(kind, ReduceAttrs{axes.keep, axes.noop});
  std::vector<int> v;
  for (int64_t i = 0; i < shape.elements(); ++i) v.push_back(static_cast<int>(i));
  t.input(fixed<int16_t>(shape, v, 0));
  if (axes.given) t.constant(longs(axes.list));
  t.output(DType::int16, Quant::power_of_two(0), &declared);
  return t;
}

TEST(EspdlReduceOp, AxesAndShapes) {
  const auto sum = [](const Axes& axes, const Shape& declared) {
    return reduce(OpKind::reduce_sum, {2, 3}, axes, declared).result(espdl("c"));
  };
  EXPECT_EQ(numbers<int16_t>(sum({{1}}, {2, 1})), (std::vector<int>{3, 12}));
  EXPECT_EQ(sum({{1}}, {2, 1}).shape, (Shape{2, 1}));
  EXPECT_EQ(sum({{-2}, false}, {3}).shape, (Shape{3}));
  EXPECT_EQ(numbers<int16_t>(sum({{-2}, false}, {3})), (std::vector<int>{3, 5, 7}));
  // All of them: without axes, with an empty list, and without keeping them one element.
  EXPECT_EQ(numbers<int16_t>(sum({{}, true, false, false}, {1, 1})), std::vector<int>{15});
  EXPECT_EQ(sum({{}, true, false, true}, {1, 1}).shape, (Shape{1, 1}));
  EXPECT_EQ(sum({{0, 1}, false}, {1}).shape, (Shape{1}));
  EXPECT_EQ(sum({{}, false, false, false}, {1}).shape, (Shape{1}));
  EXPECT_EQ(numbers<int16_t>(sum({{}, true, true}, {2, 3})), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(reduce(OpKind::reduce_sum, {2, 3}, {{2}}, {2, 1}).error(espdl("c")),
            ErrorCode::op_attribute);
  EXPECT_EQ(reduce(OpKind::reduce_max, {2, 0}, {{1}}, {2, 1}).error(espdl("c")),
            ErrorCode::op_shape);
}

// Every kind on the same row, in every arithmetic.
TEST(EspdlReduceOp, EveryKind) {
  const std::vector<int> v = {6, -3, 10, 4};
  const auto run = [&](OpKind kind, const std::string& arithmetic, int e_out) {
    OpTest t(kind, ReduceAttrs{true, false});
    t.input(fixed<int8_t>({1, 4}, v, -2)).constant(longs({1}));
    fixed_output<int8_t>(t, e_out);
    return numbers<int8_t>(t.result(espdl(arithmetic)))[0];
  };
  for (const std::string& arithmetic : kArithmetics) {
    const bool even = rounds_to_even(arithmetic);
    EXPECT_EQ(run(OpKind::reduce_max, arithmetic, -2), 10);
    EXPECT_EQ(run(OpKind::reduce_min, arithmetic, -2), -3);
    EXPECT_EQ(run(OpKind::reduce_sum, arithmetic, -1), even ? 8 : 9);           // 17 / 2
    EXPECT_EQ(run(OpKind::reduce_l1, arithmetic, -1), 12);                      // 23 / 2 = 11.5
    EXPECT_EQ(run(OpKind::reduce_sum_square, arithmetic, -3), even ? 80 : 81);  // 161 / 2 = 80.5
    EXPECT_EQ(run(OpKind::reduce_mean, arithmetic, -2), 4);                     // 4.25
    EXPECT_EQ(run(OpKind::reduce_l2, arithmetic, -4), 51);       // sqrt(161) * 4 = 50.75
    EXPECT_EQ(run(OpKind::reduce_prod, arithmetic, -3), -22);    // -2.8125 * 8 = -22.5
    EXPECT_EQ(run(OpKind::reduce_log_sum, arithmetic, -5), 46);  // 32 ln 4.25 = 46.3
  }
}

TEST(EspdlReduceOp, UndefinedSquareOfTheScale) {
  const auto l2 = [] {
    OpTest t(OpKind::reduce_l2, ReduceAttrs{true, false});
    t.input(fixed<int16_t>({2}, {3, 4}, -16));
    fixed_output<int16_t>(t, -16);
    return t;
  };
  EXPECT_EQ(l2().error(espdl("p4")), ErrorCode::op_undefined);
  EXPECT_TRUE(l2().allow_undefined().run(espdl("p4")).ok());
}

OpTest softmax(OpKind kind, const Tensor& x, int axis) {
  SoftmaxAttrs a;
  a.beta = 1.0F;
  a.axis = axis;
  OpTest t(kind, a);
  t.input(x).output(DType::float32);
  return t;
}

TEST(EspdlSoftmax, AlongAnyAxis) {
  const Tensor x = fixed<int8_t>({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, -2);
  for (const int axis : {0, 1, -1}) {
    const int at = axis < 0 ? axis + 3 : axis;
    const int stride = at == 0 ? 6 : at == 1 ? 2 : 1;
    const int length = at == 1 ? 3 : 2;
    const auto y = values<float>(softmax(OpKind::softmax, x, axis).result(espdl("s3")));
    const auto log = values<float>(softmax(OpKind::log_softmax, x, axis).result(espdl("s3")));
    for (int i = 0; i < 12; ++i) {
      const int first = i / (stride * length) * stride * length + i % stride;
      double sum = 0;
      for (int k = 0; k < length; ++k) sum += std::exp((first + k * stride) * 0.25);
      const auto k = static_cast<size_t>(i);
      EXPECT_NEAR(y[k], std::exp(i * 0.25) / sum, 1e-6) << axis;
      EXPECT_NEAR(log[k], i * 0.25 - std::log(sum), 1e-5) << axis;
    }
  }
}

TEST(EspdlSoftmax, AScalar) {
  const Tensor x = fixed<int16_t>({}, {300}, -2);
  const Tensor y = softmax(OpKind::softmax, x, -1).result(espdl("c"));
  EXPECT_EQ(y.shape, Shape());
  EXPECT_EQ(values<float>(y), std::vector<float>{1.0F});
  EXPECT_EQ(values<float>(softmax(OpKind::log_softmax, x, -1).result(espdl("c"))),
            std::vector<float>{0.0F});
}

float root(float x) {
  if (x == 0.0F) return 0.0F;
  for (float y = x;;) {
    const float next = (y + x / y) / 2;
    if (std::fabs(next - y) <= 1e-5F) return next;
    y = next;
  }
}

TEST(EspdlNorm, LayerNormalization) {
  const std::vector<int> x = {10, -20, 33, 4, 5, 6, 7, 8};
  const std::vector<int> gamma = {64, 32, -64, 10}, beta = {0, 1, -2, 3};
  for (const std::string& arithmetic : kArithmetics) {
    OpTest t(OpKind::layer_norm, NormAttrs{.axis = 1, .epsilon = 1e-3F});
    t.input(fixed<int8_t>({2, 2, 2}, x, -3));
    t.constant(fixed<int8_t>({2, 2}, gamma, -6)).constant(fixed<int8_t>({4}, beta, -2));
    fixed_output<int8_t>(t, -5);
    const auto y = numbers<int8_t>(t.result(espdl(arithmetic)));
    for (size_t row = 0; row < 2; ++row) {
      int sum = 0;
      float v = 0;
      for (size_t j = 0; j < 4; ++j) sum += x[row * 4 + j];
      const auto m = static_cast<float>(sum / 4.0);
      for (size_t j = 0; j < 4; ++j) {
        const float d = static_cast<float>(x[row * 4 + j]) - m;
        v += d * d;
      }
      v = v * (0.125F * 0.125F) / 4.0F;
      const float inv = 1.0F / root(v + 1e-3F);
      for (size_t j = 0; j < 4; ++j) {
        const float n = (static_cast<float>(x[row * 4 + j]) * 0.125F - m * 0.125F) * inv;
        const float g = n * (static_cast<float>(gamma[j]) / 64.0F);
        const float r = g + static_cast<float>(beta[j]) * 0.25F;
        EXPECT_EQ(y[row * 4 + j], rounded(r * 32.0F, rounds_to_even(arithmetic), -128, 127));
      }
    }
  }
}

TEST(EspdlNorm, RmsNormalization) {
  const std::vector<int> x = {100, -50, 3};
  const std::vector<float> w = {1.0F, 0.5F, -3.0F};
  OpTest t(OpKind::rms_norm, NormAttrs{.axis = -1, .epsilon = 1e-5F});
  t.input(fixed<int16_t>({3}, x, -4)).constant(make<float>({3}, w));
  fixed_output<int16_t>(t, -8);
  const auto y = numbers<int16_t>(t.result(espdl("p4")));
  const float mean = (10000.0F + 2500.0F + 9.0F) * (0.0625F * 0.0625F) / 3.0F;
  const float r = 1.0F / std::sqrt(mean + 1e-5F) * (0.0625F * 256.0F);
  for (size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(y[j], rounded(static_cast<float>(x[j]) * r * w[j], true, -32768, 32767));
  }
}

TEST(EspdlNorm, LpNormalization) {
  const auto run = [](int p, int axis, const std::vector<int>& x) {
    OpTest t(OpKind::lp_norm, NormAttrs{.axis = axis, .p = p});
    t.input(fixed<int8_t>({2, 2}, x, -3));
    fixed_output<int8_t>(t, -6);
    return numbers<int8_t>(t.result(espdl("c")));
  };
  EXPECT_EQ(run(1, -1, {1, -3, 0, 0}), (std::vector<int>{16, -48, 0, 0}));
  EXPECT_EQ(run(2, -1, {3, -4, 0, 0}), (std::vector<int>{38, -51, 0, 0}));  // 38.4, -51.2
  EXPECT_EQ(run(2, 0, {3, 0, -4, 0}), (std::vector<int>{38, 0, -51, 0}));
  OpTest third(OpKind::lp_norm, NormAttrs{.p = 3});
  third.input(fixed<int8_t>({2}, {1, 2}, 0));
  fixed_output<int8_t>(third, 0);
  EXPECT_EQ(third.error(espdl("c")), ErrorCode::op_attribute);
}

TEST(EspdlNorm, Refusals) {
  OpTest size(OpKind::rms_norm, NormAttrs{});
  size.input(fixed<int8_t>({2}, {1, 2}, 0)).constant(make<float>({3}, {1, 1, 1}));
  fixed_output<int8_t>(size, 0);
  EXPECT_EQ(size.error(espdl("c")), ErrorCode::op_shape);
  OpTest computed(OpKind::layer_norm, NormAttrs{});
  computed.input(fixed<int8_t>({2}, {1, 2}, 0)).input(fixed<int8_t>({2}, {1, 1}, 0));
  fixed_output<int8_t>(computed, 0);
  EXPECT_EQ(computed.error(espdl("c")), ErrorCode::op_constant);
}

}  // namespace
}  // namespace edgetwin::ops
