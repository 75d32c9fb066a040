// The Edge TPU's float tail and what leads to it.
#include "numerics/edgetpu/edgetpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "numerics/edgetpu/table.h"

namespace edgetwin::numerics::edgetpu {
namespace {

Tail<uint8_t> open_tail(const EdgetpuOptions& options = {}) {
  // Wide limits: scale 1, zero point 128.
  return Tail<uint8_t>::make(Quant::affine(1.0F, 128), {}, options);
}

TEST(EdgetpuTail, TiesGoToTheEvenInteger) {
  const auto tail = open_tail();
  const int sums[] = {-5, -3, -1, 1, 3, 5};
  const int wanted[] = {-2, -2, 0, 0, 2, 2};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(tail(sums[i], 0.5F), 128 + wanted[i]) << sums[i];
  EXPECT_EQ(tail.open->ties, 6);
}

TEST(EdgetpuTail, OtherRulesForTies) {
  EXPECT_EQ(open_tail({.ties = Rounding::half_away})(-5, 0.5F), 128 - 3);
  EXPECT_EQ(open_tail({.ties = Rounding::half_up})(-5, 0.5F), 128 - 2);
  EXPECT_EQ(open_tail({.ties = Rounding::floor})(-5, 0.25F), 128 - 2);
  EXPECT_EQ(open_tail({.ties = Rounding::truncate})(-7, 0.25F), 128 - 1);
}

// One third is a little above a third as a float: nine times half of it lies above 1.5, and is 1.5
// in single precision.
TEST(EdgetpuTail, TheProductIsRoundedToSinglePrecisionFirst) {
  const float sixth = (1.0F / 3.0F) / 2.0F;
  EXPECT_GT(15.0 * static_cast<double>(sixth), 2.5);
  ASSERT_EQ(15.0F * sixth, 2.5F);
  const auto tail = open_tail();
  EXPECT_EQ(tail(15, sixth), 128 + 2);  // the tie goes to 2, the exact product would go to 3
  EXPECT_EQ(tail.open->ties, 1);
}

TEST(EdgetpuTail, ZeroPointBeforeOrAfter) {
  const auto make = [](bool first) {
    return Tail<uint8_t>::make(Quant::affine(1.0F, 7), {}, {.zero_point_first = first});
  };
  EXPECT_EQ(make(false)(5, 0.5F), 2 + 7);  // 2.5 to 2
  EXPECT_EQ(make(true)(5, 0.5F), 10);      // 9.5 to 10
}

TEST(EdgetpuTail, LimitsAreFloatsRelativeToTheZeroPoint) {
  const Clamp relu6 = clamp_of({0.0F, 6.0F}, 0.0235F, 0);
  EXPECT_EQ(relu6.low, 0.0F);
  EXPECT_EQ(relu6.high, std::min(255.0F * 0.0235F, 6.0F) * (1.0F / 0.0235F));
  const auto tail = Tail<int8_t>::make(Quant::affine(0.1F, -28), {}, {});
  EXPECT_EQ(tail(1000000, 1.0F), 127);
  EXPECT_EQ(tail(-1000000, 1.0F), -128);
}

TEST(EdgetpuTail, CountsWhatIsOpen) {
  const auto tail = open_tail();
  tail((1 << 24) + 1, 1e-7F);
  EXPECT_EQ(tail.open->large, 1);
  tail((1 << 24) + 1, 1.0F);  // beyond the limits: does not matter
  EXPECT_EQ(tail.open->large, 1);
  tail(int64_t{1} << 33, 1.0F);
  EXPECT_EQ(tail.open->overflow, 1);
}

TEST(EdgetpuTail, OverflowWrapsOrSaturates) {
  const int64_t beyond = (int64_t{1} << 31) + 5;  // wrapped: negative
  EXPECT_EQ(open_tail()(beyond, 1.0F), 0);
  EXPECT_EQ(open_tail({.saturate = true})(beyond, 1.0F), 255);
}

// Two integers whose quotient is nearest to that of the scales.
TEST(EdgetpuAdd, WeightsAreTheBestFraction) {
  const auto equal = add_weights(0.5F, 0.5F);
  EXPECT_EQ(equal.a, equal.b);
  const auto half = add_weights(0.25F, 0.5F);
  EXPECT_EQ(2 * half.a, half.b);
  const auto some = add_weights(0.0371F, 0.0123F);
  EXPECT_LE(some.a, 32767);
  EXPECT_GT(some.a, some.b);
  const double wanted = static_cast<double>(0.0123F) / static_cast<double>(0.0371F);
  const double found = static_cast<double>(some.b) / some.a;
  for (int a = 1; a <= 32767; ++a) {
    const double b = std::nearbyint(wanted * a);
    ASSERT_LE(std::abs(found - wanted), std::abs(b / a - wanted)) << a;
  }
}

// The largest of all 4096 classes, far from the others: what is small vanishes.
TEST(EdgetpuSoftmax, SmallExponentialsVanish) {
  SoftmaxSpec spec;
  spec.in = Quant::affine(0.2F, 0);
  spec.out = Quant::affine(1.0F / 256, 0);
  const auto rule = Softmax<uint8_t>::make(spec);
  ASSERT_TRUE(rule.ok());
  std::vector<uint8_t> x(4096, 0), y(4096);
  x[7] = 255;
  rule->row(x.data(), 4096, y.data());
  EXPECT_EQ(y[7], 255);
  EXPECT_EQ(y[0], 0);
  // 600 equal maxima: 256 / 600 is below one half.
  std::vector<uint8_t> flat(600, 9), result(600, 1);
  rule->row(flat.data(), 600, result.data());
  EXPECT_EQ(result[0], 0);
}

// What the words of 16 bits between the steps make of a sum: 32768 / sum, more or less.
TEST(EdgetpuSoftmax, ReciprocalsOfSixteenBits) {
  using Rule = Softmax<uint8_t>;
  EXPECT_EQ(std::bit_cast<uint32_t>(Rule::kPerOne), 0x37800080U);  // as programs have them
  EXPECT_EQ(std::bit_cast<uint32_t>(Rule::kLast), 0x34000157U);
  EXPECT_EQ(std::bit_cast<uint32_t>(Rule::kLowest), 0xc1509c0dU);
  EXPECT_EQ(Rule::reciprocal_of(65535), 32767);
  EXPECT_EQ(Rule::reciprocal_of(4 * 65535), 8192);
  EXPECT_EQ(Rule::reciprocal_of(512 * 65535), 64);
  for (const int ones : {2, 3, 5, 7, 100, 1001, 4096, 16384}) {
    const double exact = 32768.0 / ones;
    // Half a unit of the root counts twice, relative to the root 46340 / sqrt(ones).
    const double most = 0.6 + exact * std::sqrt(ones) / 46340 + exact * 5e-5;
    EXPECT_NEAR(Rule::reciprocal_of(ones * 65535), exact, most) << ones;
  }
  EXPECT_GE(Rule::reciprocal_of(-5), 0);  // of a sum that left 32 bits
}

// The words of 16 bits hardly show: the same but for results next to a tie, which are counted.
TEST(EdgetpuSoftmax, StepsOfTheProgramAndAnExactDivisionHardlyDiffer) {
  SoftmaxSpec spec;
  spec.in = Quant::affine(0.02F, 0);
  spec.out = Quant::affine(1.0F / 256, 0);
  const auto steps = Softmax<uint8_t>::make(spec);
  spec.edgetpu.softmax = EdgetpuSoftmax::exact;
  const auto exact = Softmax<uint8_t>::make(spec);
  ASSERT_TRUE(steps.ok() && exact.ok());
  int other = 0;
  for (size_t d = 0; d < steps->exponentials.size(); ++d) {
    EXPECT_LE(std::abs(steps->exponentials[d] - steps->nearest[d]), 1) << d;
    other += steps->exponentials[d] == steps->nearest[d] ? 0 : 1;
  }
  EXPECT_EQ(other, 13);
  EXPECT_EQ(steps->exponentials[0], 65535);
  EXPECT_EQ(steps->nearest[0], 65535);
  int64_t different = 0;
  for (int k = 0; k < 20'000; ++k) {
    const std::array<uint8_t, 3> x = {200, static_cast<uint8_t>(k % 200),
                                      static_cast<uint8_t>(k / 100)};
    std::array<uint8_t, 3> a{}, b{};
    steps->row(x.data(), 3, a.data());
    exact->row(x.data(), 3, b.data());
    for (size_t i = 0; i < 3; ++i) {
      different += a[i] == b[i] ? 0 : 1;
      EXPECT_LE(std::abs(a[i] - b[i]), 1);
    }
  }
  EXPECT_EQ(steps->tail.open->softmax, different);
  EXPECT_EQ(exact->tail.open->softmax, different);
  EXPECT_LT(different, 150);
}

TEST(EdgetpuPool, OneProductWithTheReciprocal) {
  const Quant q = Quant::affine(1.0F, 0);
  const auto rule = Pool<uint8_t>::make({PoolKind::average, q, q, {}, 441, {}});
  ASSERT_TRUE(rule.ok());
  EXPECT_EQ(std::bit_cast<uint32_t>(1.0F / 441.0F), 0x3b149b93U);
  EXPECT_EQ(rule->finish(239, 441), 1);
  EXPECT_EQ(rule->finish(7304, 441), 17);
  EXPECT_EQ(rule->finish(1526, 441), 3);
  EXPECT_EQ(rule->finish(2 + 3, 2), 2);  // 2.5 to even
}

// Issue 17: 6 x 6 positions and the scale of MobileNet v1 0.75: the factor of its compiled program.
TEST(EdgetpuPool, TheFactorIsRoundedThreeTimesWhereTheScaleStays) {
  const float s = 0.023528477177023888F;
  EXPECT_EQ(mean_multiplier(s, 36, s), 0x1.c71c74p-6F);
  EXPECT_EQ(1.0F / 36.0F, 0x1.c71c72p-6F);
  EXPECT_EQ(mean_multiplier(1.0F, 36, 1.0F), 1.0F / 36.0F);
}

// ---- recurrent layers

TEST(EdgetpuTables, TanhIsOddAndNear) {
  for (int n = -700; n <= 700; ++n) {
    const float x = static_cast<float>(n) / 100.0F;
    EXPECT_EQ(odd(kTanhTable, x), -odd(kTanhTable, -x));
    // The largest distance between the two is 2.1e-6.
    EXPECT_NEAR(odd(kTanhTable, x), std::tanh(x), 3e-6F) << x;
  }
}

LstmSpec keras_layer() {
  LstmSpec spec;
  spec.x = Quant::affine(0.003921569F, -128);
  spec.hidden = Quant::affine(0.0077815787F, -1);
  spec.cell = Quant::affine(0x1p-12F, 0);
  spec.input_weights.fill(Quant::affine(0.006F, 0));
  spec.recurrent_weights.fill(Quant::affine(0.007F, 0));
  return spec;
}

// The numbers of the public program's instructions, bit for bit.
TEST(EdgetpuLstm, MultipliersAreTheProgramsOwn) {
  const auto rule = Lstm::make(keras_layer());
  ASSERT_TRUE(rule.ok()) << to_text(rule.error());
  EXPECT_EQ(rule->kept_multiplier, 0.003921569F);
  EXPECT_EQ(rule->added_multiplier, 0.50391394F);
  EXPECT_EQ(rule->weights.a, 0x7FFF);
  EXPECT_EQ(rule->weights.b, 0x2000);
  EXPECT_EQ(rule->cell_multiplier, 3.051851e-05F);
  EXPECT_EQ(rule->tanh_multiplier, 7.450808e-09F);
  EXPECT_EQ(rule->output_multiplier, 3.0759937e-05F);
  EXPECT_EQ(rule->tail.clamp.high, 127.99999F);
  EXPECT_EQ(rule->tail.clamp.low, -126.99999F);
  EXPECT_EQ(rule->gate_logistic.piece[0][0], 31.957302F);
  EXPECT_EQ(rule->gate_logistic.piece[7][4], -0.0008878092F);
  EXPECT_EQ(rule->gate_tanh.piece[0][1], 127.482574F);
  EXPECT_EQ(rule->gate_tanh.piece[7][4], -0.0017088093F);
  EXPECT_EQ(rule->cell_tanh.piece[0][1], 16381.262F);
  EXPECT_EQ(rule->cell_tanh.piece[7][4], -0.21957865F);
}

TEST(EdgetpuLstm, AStepByHand) {
  const auto rule = Lstm::make(keras_layer());
  ASSERT_TRUE(rule.ok());
  // Each part of a gate is a byte of the hidden state: far sums end at 128 and -127 steps.
  EXPECT_EQ(rule->gate_sum(LstmGate::input, 1'000'000, 1'000'000), 2 * 128);
  EXPECT_EQ(rule->gate_sum(LstmGate::input, -1'000'000, -1'000'000), -2 * 127);
  EXPECT_EQ(rule->activate(LstmGate::output, 0), 128);  // 127.5 and a little
  EXPECT_EQ(rule->activate(LstmGate::cell, 0), 0);
  EXPECT_EQ(rule->activate(LstmGate::cell, 100), -rule->activate(LstmGate::cell, -100));
  // Gates of one and a cell of 2 to which 1 is added: 3 in steps of 2^-12, and tanh(3) = 0.995.
  const auto s = rule->next({255, 255, 127, 255}, 2 * 4096);
  EXPECT_NEAR(s.cell, 3 * 4096, 20);  // the cell's gate is 127 / 127.5
  EXPECT_NEAR(s.hidden, static_cast<int>(std::lround(0.995 / 0.0077815787)) - 1, 1);
  // 16 bits are the end of the cell, not of its tanh.
  EXPECT_EQ(rule->next({255, 255, 127, 255}, 32767).cell, 32767);
  EXPECT_EQ(rule->next({255, 255, -127, 255}, -32768).cell, -32768);
}

TEST(EdgetpuLstm, StatesThatDoNotFit) {
  LstmSpec spec = keras_layer();
  spec.cell = Quant::affine(0x1p-12F, 3);
  EXPECT_FALSE(Lstm::make(spec).ok());
  spec.cell = Quant::affine(0x1p-40F, 0);
  EXPECT_FALSE(Lstm::make(spec).ok());
}

// The short way of rounding is the C library's, from halves to where numbers have no fractions.
TEST(EdgetpuTail, NearestEvenIsTheLibrarys) {
  for (int i = -4000; i <= 4000; ++i) {
    const float half = static_cast<float>(i) * 0.5F;
    for (const float f : {half, std::nextafter(half, -1e9F), std::nextafter(half, 1e9F)}) {
      EXPECT_EQ(nearest_even(f), std::nearbyint(f)) << f;
    }
  }
  for (const float large : {4194303.5F, 4194304.0F, 8388607.5F, 16777216.0F, 1e30F}) {
    EXPECT_EQ(nearest_even(large), std::nearbyint(large));
    EXPECT_EQ(nearest_even(-large), std::nearbyint(-large));
  }
  EXPECT_TRUE(std::isnan(nearest_even(std::numeric_limits<float>::quiet_NaN())));
}

// By moved exponents as by the C library's functions, numbers that are not normal among them.
TEST(EdgetpuTable, InverseRootOfAllExponents) {
  const FunctionTable& table = kInverseRootTable;
  for (uint32_t bits = 1; bits < 0x7F800000U; bits += 0x1FFF7U) {
    const auto x = std::bit_cast<float>(bits);
    const int twice = std::ilogb(x) & ~1;
    const float expected = std::ldexp(table(std::ldexp(x, -twice)), -twice / 2);
    ASSERT_EQ(inverse_root(table, x), expected) << x;
  }
}

}  // namespace
}  // namespace edgetwin::numerics::edgetpu
