// Operators of ESP-DL on single elements. Source: specification of the runtime, operators 3, 4.
#include "ops/espdl_op_test.h"

namespace edgetwin::ops {
namespace {

template <class T>
OpTest binary(OpKind kind, const Tensor& a, const Tensor& b, int e_out) {
  OpTest t(kind, default_attrs(kind));
  t.input(a).input(b);
  fixed_output<T>(t, e_out);
  return t;
}

template <class T>
std::vector<int> result(OpKind kind, const std::string& arithmetic, const Tensor& a,
                        const Tensor& b, int e_out) {
  return numbers<T>(binary<T>(kind, a, b, e_out).result(espdl(arithmetic)));
}

TEST(EspdlBinary, SumsAreRaw) {
  for (const std::string& arithmetic : kArithmetics) {
    OpTest t = binary<int8_t>(OpKind::add, fixed<int8_t>({3}, {100, -100, 5}, -6),
                              fixed<int8_t>({3}, {100, -100, -7}, -6), -7);
    EXPECT_EQ(numbers<int8_t>(t.result(espdl(arithmetic))), (std::vector<int>{127, -128, -2}));
    // Exponents that differ are reported, once per operand.
    EXPECT_EQ(t.findings.size(), 2U);
    EXPECT_EQ(result<int16_t>(OpKind::sub, arithmetic, fixed<int16_t>({2}, {-32768, 7}, 0),
                              fixed<int16_t>({1}, {1}, 0), 0),
              (std::vector<int>{-32768, 6}));
  }
}

// What both paths of Mul make of a product.
struct Products {
  int integer, real;
};

Products products(int64_t product, int shift, bool even) {
  const double exact = std::ldexp(static_cast<double>(product), -shift);
  const float narrow = std::ldexp(static_cast<float>(product), -shift);
  const double real = even ? narrow : std::floor(narrow + 0.5F);
  return {rounded(exact, even, -32768, 32767), rounded(real, even, -32768, 32767)};
}

// Of 16 bits the float product has lost its lowest bits; the inner run decides which it is.
TEST(EspdlBinary, MulChoosesItsArithmeticByTheInnerRun) {
  constexpr int shift = 12;
  for (const std::string& arithmetic : kArithmetics) {
    const bool even = rounds_to_even(arithmetic);
    const bool vector = arithmetic == "s3" || arithmetic == "p4";
    int found = 0;
    for (int a = 5793; a < 9000 && found < 5; ++a) {
      const int b = 5801 + a % 7;
      const Products p = products(int64_t{a} * b, shift, even);
      if (p.integer == p.real) continue;
      ++found;
      for (const int inner : {1, 7, 8, 9}) {
        const auto n = static_cast<size_t>(inner);
        const int wanted = vector && inner >= 8 ? p.integer : p.real;
        EXPECT_EQ(result<int16_t>(OpKind::mul, arithmetic,
                                  fixed<int16_t>({inner}, std::vector<int>(n, a), -7),
                                  fixed<int16_t>({inner}, std::vector<int>(n, b), -7), shift - 14),
                  std::vector<int>(n, wanted))
            << arithmetic << " " << inner << ": " << a << " * " << b;
      }
    }
    EXPECT_GT(found, 0) << arithmetic;
  }
}

TEST(EspdlBinary, MulOfMergedDimensions) {
  // 2 x 8 with 2 x 8 is one run of 16; with 2 x 1 the run is 8: an int8 product is a float one.
  const auto shift_error = [](const Shape& a, const Shape& b, const std::string& arithmetic) {
    const auto zeros = [](const Shape& s) {
      return fixed<int8_t>(s, std::vector<int>(static_cast<size_t>(s.elements()), 3), 0);
    };
    return binary<int8_t>(OpKind::mul, zeros(a), zeros(b), -2).run(espdl(arithmetic)).ok();
  };
  // A negative shift is possible in float only, which shows the path.
  EXPECT_FALSE(shift_error({2, 8}, {2, 8}, "s3"));
  EXPECT_FALSE(shift_error({2, 8}, {2, 8}, "p4"));
  EXPECT_TRUE(shift_error({2, 8}, {2, 1}, "s3"));
  EXPECT_TRUE(shift_error({2, 8}, {8}, "p4"));
  EXPECT_FALSE(shift_error({4, 4, 2, 16}, {16}, "p4"));
  EXPECT_FALSE(shift_error({1, 4, 4, 16}, {1, 4, 4, 1}, "s3"));
  EXPECT_FALSE(shift_error({1, 4, 4, 1}, {1}, "s3"));
  EXPECT_TRUE(shift_error({2, 8}, {2, 8}, "c"));
  EXPECT_TRUE(shift_error({2, 8}, {2, 8}, "s3-wide"));
  OpTest t = binary<int8_t>(OpKind::mul, fixed<int8_t>({16}, std::vector<int>(16, 3), 0),
                            fixed<int8_t>({16}, std::vector<int>(16, 3), 0), -2);
  EXPECT_EQ(t.error(espdl("s3")), ErrorCode::op_shift);
}

TEST(EspdlBinary, MulTies) {
  // 3 * 1 / 2 = 1.5, 5 * 1 / 2 = 2.5, -5 / 2 = -2.5, in rows of 16 and alone.
  for (const std::string& arithmetic : kArithmetics) {
    const bool even = rounds_to_even(arithmetic);
    for (const int n : {1, 16}) {
      for (const auto& [a, up, to_even] :
           std::vector<std::array<int, 3>>{{3, 2, 2}, {5, 3, 2}, {-5, -2, -2}, {-3, -1, -2}}) {
        const std::vector<int> v(static_cast<size_t>(n), a);
        const std::vector<int> one(static_cast<size_t>(n), 1);
        EXPECT_EQ(result<int8_t>(OpKind::mul, arithmetic, fixed<int8_t>({n}, v, -3),
                                 fixed<int8_t>({n}, one, -3), -5),
                  std::vector<int>(static_cast<size_t>(n), even ? to_even : up))
            << arithmetic;
      }
    }
  }
}

TEST(EspdlBinary, DivAndItsTables) {
  for (const std::string& arithmetic : kArithmetics) {
    const bool even = rounds_to_even(arithmetic);
    const auto div = [&](const std::vector<int>& a, const std::vector<int>& b) {
      return result<int8_t>(OpKind::div, arithmetic,
                            fixed<int8_t>({static_cast<int64_t>(a.size())}, a, -2),
                            fixed<int8_t>({static_cast<int64_t>(b.size())}, b, -2), 0);
    };
    EXPECT_EQ(div({7, 0, 5, -5, 0}, {2, 5, 0, 0, 0}), (std::vector<int>{4, 0, 127, -128, 0}))
        << arithmetic;
    EXPECT_EQ(div({5, -5}, {2, 2}), (std::vector<int>{even ? 2 : 3, -2})) << arithmetic;
    // A single numerator: a table, whose entry for a denominator of 0 knows no numerator of 0.
    EXPECT_EQ(div({0}, {0, 3}), (std::vector<int>{-128, 0})) << arithmetic;
    EXPECT_EQ(div({9}, {0, 3, -2}), (std::vector<int>{127, 3, -4})) << arithmetic;
    EXPECT_EQ(div({-9}, {0, 3}), (std::vector<int>{-128, -3})) << arithmetic;
    // A single denominator: the entry for 0 is 0.
    EXPECT_EQ(div({0, 8, -8}, {0}), (std::vector<int>{0, 127, -128})) << arithmetic;
    EXPECT_EQ(div({0, 8, -8}, {4}), (std::vector<int>{0, 2, -2})) << arithmetic;
    // 16 bits have no table.
    EXPECT_EQ(result<int16_t>(OpKind::div, arithmetic, fixed<int16_t>({1}, {0}, 0),
                              fixed<int16_t>({2}, {0, 3}, 0), 0),
              (std::vector<int>{0, 0}));
  }
}

TEST(EspdlBinary, ModAndPow) {
  for (const std::string& arithmetic : kArithmetics) {
    EXPECT_EQ(result<int8_t>(OpKind::mod, arithmetic, fixed<int8_t>({4}, {7, -7, 7, 5}, -1),
                             fixed<int8_t>({4}, {2, 2, -2, 0}, 0), -1),
              (std::vector<int>{3, -3, 3, 0}));
    EXPECT_EQ(result<int8_t>(OpKind::pow, arithmetic, fixed<int8_t>({4}, {6, -6, 4, 100}, -1),
                             fixed<int8_t>({4}, {2, 2, -1, 2}, 0), -1),
              (std::vector<int>{18, 18, 1, 127}));
  }
}

TEST(EspdlBinary, Comparisons) {
  const auto compare = [](OpKind kind) {
    OpTest t(kind, default_attrs(kind));
    t.input(fixed<int8_t>({2, 3}, {1, 2, 3, -3, -2, -1}, 0))
        .input(fixed<int8_t>({3}, {2, 2, 2}, 5));
    t.output(DType::boolean);
    const Tensor y = t.result(espdl("s3"));
    EXPECT_EQ(t.findings.size(), 1U);  // exponents differ; numbers are compared raw
    std::string bits;
    for (const std::byte b : y.data) bits += static_cast<char>('0' + static_cast<int>(b));
    return bits;
  };
  EXPECT_EQ(compare(OpKind::equal), "010000");
  EXPECT_EQ(compare(OpKind::greater), "001000");
  EXPECT_EQ(compare(OpKind::greater_equal), "011000");
  EXPECT_EQ(compare(OpKind::less), "100111");
  EXPECT_EQ(compare(OpKind::less_equal), "110111");
}

template <class T>
OpTest one(OpKind kind, const Tensor& x, int e_out, Attrs attrs) {
  OpTest t(kind, std::move(attrs));
  t.input(x);
  fixed_output<T>(t, e_out);
  return t;
}

TEST(EspdlUnary, TablesOfEightBitsAreUsedAndOthersAreNot) {
  std::vector<int> table(256);
  for (int i = 0; i < 256; ++i) table[static_cast<size_t>(i)] = 127 - i;
  for (const OpKind kind :
       {OpKind::relu, OpKind::logistic, OpKind::tanh, OpKind::hard_swish, OpKind::hard_sigmoid,
        OpKind::elu, OpKind::leaky_relu, OpKind::swish, OpKind::exp, OpKind::log, OpKind::sqrt,
        OpKind::clip, OpKind::gelu, OpKind::lut}) {
    OpTest t = one<int8_t>(kind, fixed<int8_t>({3}, {-128, 0, 127}, -3), -7, default_attrs(kind));
    t.table(fixed<int8_t>({256}, table, -7));
    EXPECT_EQ(numbers<int8_t>(t.result(espdl("s3"))), (std::vector<int>{127, -1, -128}))
        << info(kind).name;
  }
  OpTest neg = one<int8_t>(OpKind::neg, fixed<int8_t>({2}, {-128, 5}, -3), -3, NoAttrs{});
  neg.table(fixed<int8_t>({256}, table, -3));
  EXPECT_EQ(numbers<int8_t>(neg.result(espdl("s3"))), (std::vector<int>{127, -5}));
  OpTest wide = one<int16_t>(OpKind::relu, fixed<int16_t>({2}, {-9, 9}, -3), -3, NoAttrs{});
  wide.table(fixed<int16_t>({257}, std::vector<int>(257, 1), -3));
  EXPECT_EQ(numbers<int16_t>(wide.result(espdl("p4"))), (std::vector<int>{0, 9}));
  EXPECT_EQ(wide.findings.size(), 1U);
}

TEST(EspdlUnary, AssignmentTrapNeedsMoreThanFiftyElements) {
  for (const int n : {50, 51}) {
    const Tensor x = fixed<int8_t>({n}, std::vector<int>(static_cast<size_t>(n), 1), 0);
    const auto y = [&](const std::string& arithmetic) {
      return numbers<int8_t>(
          one<int8_t>(OpKind::quantize, x, -7, NoAttrs{}).result(espdl(arithmetic)))[0];
    };
    EXPECT_EQ(y("s3"), n == 50 ? 127 : -128);
    EXPECT_EQ(y("s3-wide"), 127);
    EXPECT_EQ(y("p4"), 127);
    EXPECT_EQ(y("c"), 127);
  }
}

OpTest clip(const Tensor& x, int e_out, const std::vector<Tensor>& bounds) {
  OpTest t(OpKind::clip);
  t.input(x);
  for (const Tensor& b : bounds) t.constant(b);
  t.output(x.dtype, x.quant.present() ? Quant::power_of_two(e_out) : Quant{});
  return t;
}

TEST(EspdlClip, OneTwoAndThreeInputs) {
  const Tensor x = fixed<int8_t>({4}, {-100, -3, 5, 100}, -4);
  const auto s = [](int v) { return fixed<int8_t>({}, {v}, -4); };
  for (const std::string& arithmetic : kArithmetics) {
    const auto run = [&](int e_out, const std::vector<Tensor>& bounds) {
      return numbers<int8_t>(clip(x, e_out, bounds).result(espdl(arithmetic)));
    };
    EXPECT_EQ(run(-4, {s(-10), s(20)}), (std::vector<int>{-10, -3, 5, 20}));
    EXPECT_EQ(run(-4, {s(-10)}), (std::vector<int>{-10, -3, 5, 100}));
    EXPECT_EQ(run(-4, {}), (std::vector<int>{-100, -3, 5, 100}));
    // One input is an assignment, with three the result is rescaled in float: both round.
    const bool even = rounds_to_even(arithmetic);
    EXPECT_EQ(run(-3, {}), (std::vector<int>{-50, even ? -2 : -1, even ? 2 : 3, 50}));
    EXPECT_EQ(run(-3, {s(-10), s(20)}), (std::vector<int>{-5, even ? -2 : -1, even ? 2 : 3, 10}));
    EXPECT_EQ(run(-6, {s(-10), s(50)}), (std::vector<int>{-40, -12, 20, 127}));
    // Where the bounds cross, the upper one wins.
    EXPECT_EQ(run(-4, {s(20), s(10)}), (std::vector<int>{10, 10, 10, 10}));
  }
}

TEST(EspdlClip, FloatWithoutALowerBound) {
  const Tensor x = make<float>({3}, {-2.0F, 0.5F, 9.0F});
  OpTest t(OpKind::clip);
  t.input(x).absent().constant(make<float>({}, {6.0F})).output(DType::float32);
  EXPECT_EQ(values<float>(t.result(espdl("c"))),
            (std::vector<float>{std::numeric_limits<float>::min(), 0.5F, 6.0F}));
  EXPECT_EQ(
      values<float>(
          clip(x, 0, {make<float>({}, {-1.0F}), make<float>({}, {6.0F})}).result(espdl("p4"))),
      (std::vector<float>{-1.0F, 0.5F, 6.0F}));
}

TEST(EspdlClip, Refusals) {
  const Tensor x = fixed<int8_t>({1}, {1}, 0);
  OpTest computed(OpKind::clip);
  computed.input(x).input(x);
  fixed_output<int8_t>(computed, 0);
  EXPECT_EQ(computed.error(espdl("c")), ErrorCode::op_constant);
  EXPECT_EQ(clip(x, 0, {fixed<int16_t>({}, {1}, 0)}).error(espdl("c")), ErrorCode::op_type);
  EXPECT_EQ(clip(x, 0, {fixed<int8_t>({2}, {1, 2}, 0)}).error(espdl("c")), ErrorCode::op_shape);
}

template <class T>
std::vector<int> prelu(const std::string& arithmetic, int x, int slope, int e_in, int e_out,
                       int e_slope) {
  OpTest t(OpKind::prelu);
  t.input(fixed<T>({1, 1, 1, 2}, {x, -x}, e_in));
  t.constant(fixed<T>({2, 1, 1}, {slope, slope}, e_slope));
  fixed_output<T>(t, e_out);
  return numbers<T>(t.result(espdl(arithmetic)));
}

TEST(EspdlPRelu, RescalesOnlyOnSomeChips) {
  // e(out) - e(in) = 1, slope 3 / 8: -21 * 3 / 16 = -3.94; 21 / 2 = 10.5.
  EXPECT_EQ(prelu<int8_t>("s3", 21, 3, -5, -4, -3), (std::vector<int>{11, -4}));
  EXPECT_EQ(prelu<int8_t>("p4", 21, 3, -5, -4, -3), (std::vector<int>{10, -4}));
  EXPECT_EQ(prelu<int16_t>("s3", 21, 3, -5, -4, -3), (std::vector<int>{11, -4}));
  // Positive values are copied, negative ones are shifted without rounding.
  for (const char* arithmetic : {"c", "s3-wide", "p4-wide"}) {
    EXPECT_EQ(prelu<int8_t>(arithmetic, 21, 3, -5, -4, -3), (std::vector<int>{21, -4}));
    EXPECT_EQ(prelu<int8_t>(arithmetic, 17, 3, -5, -4, -3), (std::vector<int>{17, -4}));  // -3.19
  }
  EXPECT_EQ(prelu<int16_t>("p4", 17, 3, -5, -4, -3), (std::vector<int>{17, -4}));
  EXPECT_EQ(prelu<int8_t>("p4", 17, 3, -5, -4, -3), (std::vector<int>{8, -3}));  // 8.5 to even
  // -24 * 3 / 16 = -4.5
  EXPECT_EQ(prelu<int8_t>("s3", 24, 3, -5, -4, -3), (std::vector<int>{12, -4}));
  EXPECT_EQ(prelu<int8_t>("p4", 24, 3, -5, -4, -3), (std::vector<int>{12, -4}));
  EXPECT_EQ(prelu<int8_t>("c", 24, 3, -5, -4, -3), (std::vector<int>{24, -5}));
}

TEST(EspdlPRelu, SmallerOutputExponents) {
  EXPECT_EQ(prelu<int8_t>("s3", 3, 0, 0, -2, -3), (std::vector<int>{12, 0}));
  EXPECT_EQ(prelu<int8_t>("s3", 100, 0, 0, -2, -3), (std::vector<int>{127, 0}));
  EXPECT_EQ(prelu<int8_t>("s3", 1, 0, 0, -7, -30)[0], -128);  // 8 bits of the factor
  EXPECT_EQ(prelu<int8_t>("s3", 1, 0, 0, -8, -30)[0], 0);
  EXPECT_EQ(prelu<int16_t>("s3", 1, 0, 0, -8, -30)[0], 256);
  EXPECT_EQ(prelu<int8_t>("p4", 1, 0, 0, -7, -30)[0], 127);
}

TEST(EspdlPRelu, ZeroAndOneSlope) {
  EXPECT_EQ(prelu<int8_t>("s3", 0, 100, 0, 3, -7), (std::vector<int>{0, 0}));
  const auto single = [](auto zero) {
    using T = decltype(zero);
    OpTest t(OpKind::prelu);
    t.input(fixed<T>({1, 1, 1, 2}, {8, -8}, -3));
    t.constant(fixed<T>({1, 1, 1}, {1}, -2));
    fixed_output<T>(t, -3);
    return t;
  };
  EXPECT_EQ(numbers<int16_t>(single(int16_t{}).result(espdl("c"))), (std::vector<int>{8, -2}));
  EXPECT_EQ(single(int8_t{}).error(espdl("c")), ErrorCode::op_undefined);
  EXPECT_EQ(numbers<int8_t>(single(int8_t{}).allow_undefined().result(espdl("c"))),
            (std::vector<int>{8, -2}));
  OpTest flat(OpKind::prelu);
  flat.input(fixed<int8_t>({1, 2}, {1, 2}, 0)).constant(fixed<int8_t>({2, 1, 1}, {1, 1}, 0));
  fixed_output<int8_t>(flat, 0);
  EXPECT_EQ(flat.error(espdl("c")), ErrorCode::op_shape);
}

}  // namespace
}  // namespace edgetwin::ops
