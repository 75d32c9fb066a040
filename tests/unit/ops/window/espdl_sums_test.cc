// Conv, Gemm, MatMul of ESP-DL on every chip, with what the lanes' limits do to them.
// Source: specification of the runtime 3.3, 4.3; operators 2.
#include "ops/espdl_op_test.h"

namespace edgetwin::ops {
namespace {

Conv2DAttrs conv_attrs(Padding padding = {Padding::Kind::given, 0, 0, 0, 0}) {
  Conv2DAttrs a;
  a.padding = padding;
  a.stride_h = a.stride_w = 1;
  return a;
}

// Channel 0 of 17 goes up beyond 20 bits and comes back; channel 1 stays small; channel 16 is as
// channel 0, but not in a lane.
Tensor pulling_filter() {
  std::vector<int> w(17 * 100, 0);
  for (int c : {0, 16}) {
    for (int k = 0; k < 50; ++k) w[static_cast<size_t>(c * 100 + k)] = 127;
    for (int k = 50; k < 100; ++k) w[static_cast<size_t>(c * 100 + k)] = -127;
  }
  w[100] = 1;
  return fixed<int8_t>({17, 1, 1, 100}, w, -7);
}

OpTest pulling() {
  OpTest t(OpKind::conv_2d, conv_attrs());
  t.input(fixed<int8_t>({1, 1, 1, 100}, std::vector<int>(100, 127), -5));
  t.constant(pulling_filter());
  fixed_output<int8_t>(t, 1);  // shift 13
  return t;
}

TEST(EspdlConv, LanesOfTheS3Saturate) {
  for (const bool fast : {true, false}) {
    OpTest t = pulling();
    if (!fast) t.plain();
    auto y = numbers<int8_t>(t.result(espdl("s3")));
    // 524287 - 50 * 16129 = -282163; / 8192 = -34.4
    EXPECT_EQ(y[0], -34);
    EXPECT_EQ(y[1], 0);
    EXPECT_EQ(y[16], 0);
    ASSERT_EQ(t.run_findings.size(), 1U);
    EXPECT_EQ(t.run_findings[0].severity, Severity::warning);
    EXPECT_EQ(t.run_findings[0].message.substr(0, 26), "1 of 17 results differ fro");
  }
}

TEST(EspdlConv, NoOtherTargetSaturatesHere) {
  for (const char* arithmetic : {"c", "s3-wide", "p4", "p4-wide"}) {
    OpTest t = pulling();
    EXPECT_EQ(numbers<int8_t>(t.result(espdl(arithmetic))), std::vector<int>(17, 0)) << arithmetic;
    EXPECT_TRUE(t.run_findings.empty()) << arithmetic;
  }
}

// The taps are walked row by row, column by column, channel by channel.
TEST(EspdlConv, TheOrderOfTheTaps) {
  std::vector<int> w(16 * 2 * 2 * 16, 0);
  const auto set = [&](int o, int y, int x, int value) {
    for (int c = 0; c < 16; ++c) w[static_cast<size_t>(((o * 2 + y) * 2 + x) * 16 + c)] = value;
  };
  // Up to the limit and beyond within the first three taps, then down.
  for (int o = 0; o < 16; ++o) {
    set(o, 0, 0, 127);
    set(o, 0, 1, o % 2 == 0 ? 127 : -127);
    set(o, 1, 0, 127);
    set(o, 1, 1, o % 2 == 0 ? -127 : 127);
  }
  OpTest t(OpKind::conv_2d, conv_attrs());
  t.input(fixed<int8_t>({1, 2, 2, 16}, std::vector<int>(64, 127), -5));
  t.constant(fixed<int8_t>({16, 2, 2, 16}, w, -7));
  fixed_output<int8_t>(t, 1);
  const auto y = numbers<int8_t>(t.result(espdl("s3")));
  EXPECT_EQ(y[0], (524287 - 16 * 16129 + 4096) >> 13);
  EXPECT_EQ(y[1], (2 * 16 * 16129 + 4096) >> 13);
  EXPECT_EQ(numbers<int8_t>(t.result(espdl("c")))[0], (2 * 16 * 16129 + 4096) >> 13);
}

TEST(EspdlConv, TapsInThePaddingAreSkipped) {
  for (const std::string& arithmetic : kArithmetics) {
    OpTest t(OpKind::conv_2d, conv_attrs({Padding::Kind::given, 1, 1, 1, 1}));
    t.input(fixed<int16_t>({1, 1, 1, 1}, {100}, -5));
    t.constant(fixed<int16_t>({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, -7));
    t.constant(make<int64_t>({1}, {7}, Quant::power_of_two(-12)));
    fixed_output<int16_t>(t, -12);
    EXPECT_EQ(numbers<int16_t>(t.result(espdl(arithmetic))), std::vector<int>{507}) << arithmetic;
  }
}

TEST(EspdlConv, OneDimension) {
  for (const std::string& arithmetic : kArithmetics) {
    OpTest t(OpKind::conv_2d, conv_attrs({Padding::Kind::given, 0, 1, 0, 0}));
    t.input(fixed<int8_t>({1, 3, 1}, {1, 2, 3}, 0));
    t.constant(fixed<int8_t>({1, 1, 2, 1}, {10, 1}, 0));
    fixed_output<int8_t>(t, 0);
    const Tensor y = t.result(espdl(arithmetic));
    EXPECT_EQ(y.shape, (Shape{1, 3, 1}));
    EXPECT_EQ(numbers<int8_t>(y), (std::vector<int>{1, 12, 23}));
  }
}

TEST(EspdlConv, DepthwiseOfThreeChannelsIsInLanes) {
  std::vector<int> w(7 * 7 * 3, 0);
  for (size_t i = 0; i < w.size(); ++i) w[i] = i < 40 * 3 ? 127 : -127;
  OpTest t(OpKind::depthwise_conv_2d, conv_attrs());
  t.input(fixed<int8_t>({1, 7, 7, 3}, std::vector<int>(147, 127), -5));
  t.constant(fixed<int8_t>({1, 7, 7, 3}, w, -7));
  fixed_output<int8_t>(t, 1);
  EXPECT_EQ(numbers<int8_t>(t.result(espdl("s3"))),
            std::vector<int>(3, (524287 - 9 * 16129 + 4096) >> 13));
  EXPECT_EQ(t.run_findings.size(), 1U);
  EXPECT_EQ(numbers<int8_t>(t.result(espdl("p4"))), std::vector<int>(3, 61));  // 31 * 16129 / 8192
}

TEST(EspdlConv, Refusals) {
  const auto error = [](const Shape& in, int e_out, const std::string& arithmetic) {
    OpTest t(OpKind::conv_2d, conv_attrs());
    t.input(make<int8_t>(in, std::vector<int8_t>(static_cast<size_t>(in.elements())),
                         Quant::power_of_two(-5)));
    t.constant(fixed<int8_t>({1, 1, 1, 2}, {1, 2}, -7));
    fixed_output<int8_t>(t, e_out);
    return t.error(espdl(arithmetic));
  };
  EXPECT_EQ(error({2, 1, 1, 2}, -5, "c"), ErrorCode::op_undefined);
  EXPECT_EQ(error({1, 1, 1, 2}, -13, "s3"), ErrorCode::op_shift);
  EXPECT_EQ(error({1, 1, 1, 2}, -13, "p4"), ErrorCode::op_shift);
  EXPECT_EQ(error({1, 1, 1, 2}, 31, "c"), ErrorCode::op_quant);
  OpTest wrong_bias(OpKind::conv_2d, conv_attrs());
  wrong_bias.input(fixed<int16_t>({1, 1, 1, 1}, {1}, 0));
  wrong_bias.constant(fixed<int16_t>({1, 1, 1, 1}, {1}, 0));
  wrong_bias.constant(make<int32_t>({1}, {1}, Quant::power_of_two(0)));
  fixed_output<int16_t>(wrong_bias, 0);
  EXPECT_EQ(wrong_bias.error(espdl("c")), ErrorCode::op_type);
}

TEST(EspdlConv, AWideShiftIsReported) {
  OpTest t(OpKind::conv_2d, conv_attrs());
  t.input(fixed<int8_t>({1, 1, 1, 1}, {100}, -20));
  t.constant(fixed<int8_t>({1, 1, 1, 1}, {100}, -20));
  fixed_output<int8_t>(t, -7);  // shift 33
  EXPECT_EQ(numbers<int8_t>(t.result(espdl("c"))), std::vector<int>{127});
  ASSERT_EQ(t.findings.size(), 1U);
  EXPECT_EQ(numbers<int8_t>(t.result(espdl("p4"))), std::vector<int>{0});
  EXPECT_EQ(t.findings.size(), 1U);
}

TEST(EspdlGemm, RowsOfAnyRank) {
  for (const std::string& arithmetic : kArithmetics) {
    FullyConnectedAttrs a;
    a.keep_num_dims = true;
    a.activation = Activation::relu;
    OpTest t(OpKind::fully_connected, a);
    t.input(fixed<int8_t>({2, 1, 2}, {1, 2, 3, 4}, -1));
    t.constant(fixed<int8_t>({3, 2}, {1, 1, 2, 0, -5, 0}, -1));
    t.constant(make<int32_t>({3}, {0, 1, 0}, Quant::power_of_two(-2)));
    fixed_output<int8_t>(t, -1);
    const Tensor y = t.result(espdl(arithmetic));
    EXPECT_EQ(y.shape, (Shape{2, 1, 3}));
    // Sums 3, 3, -5 and 7, 7, -15, halved.
    EXPECT_EQ(numbers<int8_t>(y), (std::vector<int>{2, 2, 0, 4, 4, 0}));
  }
}

// B of shape [K, N], stored as the unit wants it.
std::vector<int> stored(const std::vector<int>& b, int k, int n, MatMulAttrs::Order order,
                        int block) {
  std::vector<int> s;
  const auto at = [&](int row, int column) { return b[static_cast<size_t>(row * n + column)]; };
  int first = 0;
  if (order == MatMulAttrs::Order::blocks) {
    for (; first + block <= n; first += block) {
      for (int row = 0; row < k; ++row) {
        for (int lane = 0; lane < block; ++lane) s.push_back(at(row, first + lane));
      }
    }
  }
  for (int column = first; column < n; ++column) {
    for (int row = 0; row < k; ++row) s.push_back(at(row, column));
  }
  return order == MatMulAttrs::Order::rows ? b : s;
}

TEST(EspdlMatMul, OrdersOfTheSecondOperand) {
  const int k = 3, n = 19;
  std::vector<int> b, wanted;
  for (int i = 0; i < k * n; ++i) b.push_back(i % 13 - 6);
  const std::vector<int> a = {1, -2, 3, 4, 0, -1};
  for (int m = 0; m < 2; ++m) {
    for (int c = 0; c < n; ++c) {
      int sum = 0;
      for (int i = 0; i < k; ++i)
        sum += a[static_cast<size_t>(m * k + i)] * b[static_cast<size_t>(i * n + c)];
      wanted.push_back(sum);
    }
  }
  using Order = MatMulAttrs::Order;
  for (const Order order : {Order::rows, Order::columns, Order::blocks}) {
    for (const std::string& arithmetic : kArithmetics) {
      OpTest t(OpKind::matmul, MatMulAttrs{Activation::none, order, 16});
      t.input(fixed<int8_t>({2, k}, a, -3));
      t.input(fixed<int8_t>({k, n}, stored(b, k, n, order, 16), -3));
      fixed_output<int8_t>(t, -6);
      const Tensor y = t.result(espdl(arithmetic));
      EXPECT_EQ(y.shape, (Shape{2, n}));
      EXPECT_EQ(numbers<int8_t>(y), wanted) << static_cast<int>(order) << " " << arithmetic;
    }
  }
}

TEST(EspdlMatMul, BatchesAndRanks) {
  const auto run = [](const Shape& a, const Shape& b) {
    OpTest t(OpKind::matmul, MatMulAttrs{});
    const auto ramp = [](const Shape& s) {
      std::vector<int> v;
      for (int64_t i = 0; i < s.elements(); ++i) v.push_back(static_cast<int>(i) + 1);
      return fixed<int16_t>(s, v, 0);
    };
    t.input(ramp(a)).input(ramp(b));
    fixed_output<int16_t>(t, 0);
    return t.result(espdl("p4"));
  };
  const Tensor both = run({2, 1, 1, 2}, {3, 2, 1});
  EXPECT_EQ(both.shape, (Shape{2, 3, 1, 1}));
  EXPECT_EQ(numbers<int16_t>(both), (std::vector<int>{5, 11, 17, 11, 25, 39}));
  EXPECT_EQ(run({2}, {2}).shape, (Shape{1}));
  EXPECT_EQ(numbers<int16_t>(run({2}, {2})), std::vector<int>{5});
  EXPECT_EQ(run({2}, {2, 3}).shape, (Shape{3}));
  EXPECT_EQ(run({4, 2}, {2}).shape, (Shape{4}));
  OpTest bad(OpKind::matmul, MatMulAttrs{});
  bad.input(fixed<int8_t>({1, 2}, {1, 2}, 0)).input(fixed<int8_t>({1, 2}, {1, 2}, 0));
  fixed_output<int8_t>(bad, 0);
  EXPECT_EQ(bad.error(espdl("c")), ErrorCode::op_shape);
}

TEST(EspdlPool, AverageCountsThePaddingAndMaxDoesNot) {
  PoolAttrs a;
  a.padding = {Padding::Kind::given, 1, 1, 0, 0};
  a.stride_h = a.stride_w = 1;
  a.filter_h = a.filter_w = 2;
  for (const std::string& arithmetic : kArithmetics) {
    OpTest average(OpKind::average_pool_2d, a);
    average.input(fixed<int8_t>({1, 1, 1, 1}, {-10}, -3));
    fixed_output<int8_t>(average, -3);
    // -2.5
    EXPECT_EQ(numbers<int8_t>(average.result(espdl(arithmetic))), std::vector<int>{-2});
    OpTest max(OpKind::max_pool_2d, a);
    max.input(fixed<int8_t>({1, 1, 1, 1}, {-10}, -3));
    fixed_output<int8_t>(max, 4);  // the exponent is not looked at
    EXPECT_EQ(numbers<int8_t>(max.result(espdl(arithmetic))), std::vector<int>{-10});
    EXPECT_EQ(max.findings.size(), 1U);
  }
  PoolAttrs global;
  global.padding.kind = Padding::Kind::given;
  global.stride_h = global.stride_w = 1;
  OpTest t(OpKind::average_pool_2d, global);
  t.input(fixed<int16_t>({1, 2, 2, 2}, {1, 10, 2, 20, 3, 30, 4, 40}, 0));
  fixed_output<int16_t>(t, 0);
  const Tensor y = t.result(espdl("c"));
  EXPECT_EQ(y.shape, (Shape{1, 1, 1, 2}));
  EXPECT_EQ(numbers<int16_t>(y), (std::vector<int>{3, 25}));
}

}  // namespace
}  // namespace edgetwin::ops
