// Sums of products of ESP-DL: lanes that saturate, the order of that, what the bias becomes,
// shifts. Source: specification of the runtime 3.2 and 4.3.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "numerics/espdl/espdl.h"

namespace edgetwin::numerics::espdl {
namespace {

template <class T>
AccumulateSpec spec_of(int64_t channels, int shift, const std::vector<int64_t>& bias = {}) {
  using Bias = std::conditional_t<sizeof(T) == 1, int32_t, int64_t>;
  static std::vector<Bias> kept;
  AccumulateSpec spec;
  spec.channels = channels;
  spec.in = Quant::power_of_two(-5);
  spec.weight = Quant::power_of_two(-7);
  spec.out = Quant::power_of_two(-12 + shift);
  kept.assign(bias.begin(), bias.end());
  if (!bias.empty()) {
    spec.bias_data = {reinterpret_cast<const std::byte*>(kept.data()), kept.size() * sizeof(Bias)};
  }
  return spec;
}

template <class Rule>
typename Rule::Acc sum(const Rule& rule, int channel,
                       const std::vector<std::pair<int, int>>& products) {
  auto acc = rule.start(channel);
  for (const auto& [x, w] : products) {
    acc = rule.mac(acc, static_cast<typename Rule::In>(x), static_cast<typename Rule::Weight>(w),
                   channel);
  }
  return acc;
}

std::vector<std::pair<int, int>> times(int n, std::pair<int, int> p) {
  return std::vector<std::pair<int, int>>(static_cast<size_t>(n), p);
}

std::vector<std::pair<int, int>> join(std::vector<std::pair<int, int>> a,
                                      const std::vector<std::pair<int, int>>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

using C8 = Accumulate<int8_t, UnitC>;
using C16 = Accumulate<int16_t, UnitC>;
using S8 = Accumulate<int8_t, UnitS3>;
using S16 = Accumulate<int16_t, UnitS3>;
using P8 = Accumulate<int8_t, UnitP4>;
using P16 = Accumulate<int16_t, UnitP4>;
using W8 = Accumulate<int8_t, UnitP4Portable>;

constexpr int64_t k40 = int64_t{1} << 39;

TEST(EspdlSums, TwentyBitLanesSaturateAfterEveryProduct) {
  const S8 rule = *S8::make(spec_of<int8_t>(16, 13));
  const auto up = times(40, {127, 127});
  const auto down = times(40, {127, -127});
  EXPECT_EQ(sum(rule, 0, times(32, {127, 127})).sum, 32 * 16129);
  EXPECT_EQ(sum(rule, 0, times(33, {127, 127})).sum, 524287);
  // The order matters: what was cut off is gone.
  EXPECT_EQ(sum(rule, 0, join(up, down)).sum, 524287 - 40 * 16129);
  EXPECT_EQ(sum(rule, 0, join(down, up)).sum, -524288 + 40 * 16129);
  EXPECT_EQ(sum(rule, 0, join(up, down)).wide, 0);
  EXPECT_EQ(rule.differing->load(), 0);
  EXPECT_EQ(rule.finish(sum(rule, 0, join(up, down)), 0), -15);  // -120873 / 8192 = -14.75
  EXPECT_EQ(rule.differing->load(), 1);
  // 64 instead of 127, and then one that stays in range.
  EXPECT_EQ(rule.finish(sum(rule, 0, times(70, {127, 127})), 0), 64);
  EXPECT_EQ(rule.differing->load(), 2);
  EXPECT_EQ(rule.finish(sum(rule, 0, times(20, {127, 127})), 0), 39);
  EXPECT_EQ(rule.differing->load(), 2);
}

TEST(EspdlSums, RemainingChannelsOfTheS3AreWide) {
  const S8 rule = *S8::make(spec_of<int8_t>(17, 13));
  EXPECT_EQ(sum(rule, 15, times(100, {127, 127})).sum, 524287);
  EXPECT_EQ(sum(rule, 16, times(100, {127, 127})).sum, 1612900);
  // Fewer channels than lanes: none is in a lane.
  const S8 few = *S8::make(spec_of<int8_t>(15, 13));
  EXPECT_EQ(sum(few, 0, times(100, {127, 127})).sum, 1612900);
}

TEST(EspdlSums, AllDepthwiseChannelsAreInLanes) {
  auto spec = spec_of<int8_t>(3, 13);
  spec.depthwise = true;
  const S8 rule = *S8::make(spec);
  for (int c = 0; c < 3; ++c) EXPECT_EQ(sum(rule, c, times(49, {127, 127})).sum, 524287);
  const P8 p4 = *P8::make(spec);
  EXPECT_EQ(sum(p4, 0, times(49, {127, 127})).sum, 49 * 16129);
}

// 2^30 each way.
constexpr std::pair<int, int> kUp{-32768, -32768}, kDown{-32768, 32767};
constexpr int64_t kDownProduct = -int64_t{32768} * 32767;

TEST(EspdlSums, FortyBitLanesSaturateAfterEveryProduct) {
  const S16 rule = *S16::make(spec_of<int16_t>(8, 20, std::vector<int64_t>(8, k40 - 1)));
  EXPECT_EQ(sum(rule, 0, {kUp}).sum, k40 - 1);
  EXPECT_EQ(sum(rule, 7, {kUp, kDown}).sum, k40 - 1 + kDownProduct);
  EXPECT_EQ(sum(rule, 7, {kUp, kDown}).wide, k40 - 1 + (int64_t{1} << 30) + kDownProduct);
}

TEST(EspdlSums, TheScalarRegisterSaturatesAfterEachStep) {
  for (const bool p4 : {false, true}) {
    const auto check = [](const auto& rule) {
      const auto four = join(times(4, kUp), times(4, kDown));
      const int64_t back = k40 - 1 + 4 * ((int64_t{1} << 30) + kDownProduct);
      // One step of eight: it leaves the range and comes back.
      EXPECT_EQ(sum(rule, 8, four).sum, std::min(back, k40 - 1));
      // Eight up, which is cut, and then eight down.
      const auto eight = join(times(8, kUp), times(8, kDown));
      EXPECT_EQ(sum(rule, 8, eight).sum, k40 - 1 + 8 * kDownProduct);
      // A tap's last products end a step.
      auto acc = sum(rule, 8, times(3, kUp));
      EXPECT_EQ(acc.sum, k40 - 1 + 3 * (int64_t{1} << 30));
      acc = rule.tap_end(acc, 8);
      EXPECT_EQ(acc.sum, k40 - 1);
      EXPECT_EQ(rule.mac(acc, -32768, 32767, 8).sum, k40 - 1 + kDownProduct);
    };
    const auto spec = spec_of<int16_t>(9, 20, std::vector<int64_t>(9, k40 - 1));
    if (p4) {
      check(*P16::make(spec));
    } else {
      check(*S16::make(spec));
    }
  }
}

TEST(EspdlSums, ScalarStepsOfEightBitsHaveSixteenProducts) {
  const auto spec = spec_of<int8_t>(17, 4, std::vector<int64_t>(17, 0));
  const P8 rule = *P8::make(spec);
  auto acc = sum(rule, 16, times(15, {1, 1}));
  EXPECT_EQ(acc.pending, 15);
  acc = rule.mac(acc, 1, 1, 16);
  EXPECT_EQ(acc.pending, 0);
  EXPECT_EQ(acc.sum, 16);
}

TEST(EspdlSums, TheP4SaturatesAt32Bits) {
  const auto spec = spec_of<int8_t>(16, 20, std::vector<int64_t>(16, INT32_MAX - 1000));
  const P8 rule = *P8::make(spec);
  EXPECT_EQ(sum(rule, 0, {{127, 127}}).sum, INT32_MAX);
  EXPECT_EQ(sum(rule, 0, {{127, 127}, {127, -127}}).sum, int64_t{INT32_MAX} - 16129);
  const auto low = spec_of<int8_t>(16, 20, std::vector<int64_t>(16, INT32_MIN));
  EXPECT_EQ(sum(*P8::make(low), 0, {{127, -127}}).sum, INT32_MIN);
  // The portable code wraps, of all targets.
  EXPECT_EQ(sum(*W8::make(low), 0, {{127, -127}}).sum, int64_t{INT32_MAX} - 16128);
  EXPECT_EQ(sum(*C8::make(low), 0, {{127, -127}}).sum, int64_t{INT32_MAX} - 16128);
  // 17 channels: the last is 40 bits wide.
  const auto more = spec_of<int8_t>(17, 20, std::vector<int64_t>(17, INT32_MIN));
  EXPECT_EQ(sum(*P8::make(more), 16, {{127, -127}}).sum, int64_t{INT32_MIN} - 16129);
}

TEST(EspdlSums, SixteenBitLanesOfTheP4DoNotSaturate) {
  const P16 rule = *P16::make(spec_of<int16_t>(8, 20, std::vector<int64_t>(8, k40 - 1)));
  EXPECT_EQ(sum(rule, 0, {kUp}).sum, k40 - 1 + (int64_t{1} << 30));
}

TEST(EspdlSums, TheS3WrapsTheBias) {
  std::vector<int64_t> bias(17, 0);
  bias[0] = 524288;
  bias[1] = -524289;
  bias[2] = 524287;
  bias[3] = (1 << 20) + 5;
  bias[16] = 524288;  // beyond the blocks: kept
  const S8 rule = *S8::make(spec_of<int8_t>(17, 4, bias));
  EXPECT_EQ(rule.start(0).sum, -524288);
  EXPECT_EQ(rule.start(0).wide, 524288);
  EXPECT_EQ(rule.start(1).sum, 524287);
  EXPECT_EQ(rule.start(2).sum, 524287);
  EXPECT_EQ(rule.start(3).sum, 5);
  EXPECT_EQ(rule.start(16).sum, 524288);
  std::vector<int64_t> wide(9, k40);
  const S16 rule16 = *S16::make(spec_of<int16_t>(9, 4, wide));
  EXPECT_EQ(rule16.start(0).sum, -k40);
  EXPECT_EQ(rule16.start(8).sum, k40);
  // No other target.
  EXPECT_EQ((*P8::make(spec_of<int8_t>(17, 4, bias))).start(0).sum, 524288);
  EXPECT_EQ((*C8::make(spec_of<int8_t>(17, 4, bias))).start(0).sum, 524288);
}

template <class Rule>
int finished(int shift, int64_t sum, bool relu = false) {
  auto spec = spec_of<typename Rule::In>(1, shift, {});
  spec.depthwise = true;
  if (relu) spec.range.low = 0.0F;
  const Rule rule = *Rule::make(spec);
  typename Rule::Acc acc;
  acc.sum = acc.wide = sum;
  return rule.finish(acc, 0);
}

TEST(EspdlSums, TiesGoUpOrToTheEvenNumber) {
  const int sums[] = {-5, -3, -1, 1, 3, 5};
  const int up[] = {-2, -1, 0, 1, 2, 3};
  const int even[] = {-2, -2, 0, 0, 2, 2};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(finished<C8>(1, sums[i]), up[i]);
    EXPECT_EQ(finished<S8>(1, sums[i]), up[i]);
    EXPECT_EQ(finished<S16>(1, sums[i]), up[i]);
    EXPECT_EQ(finished<P8>(1, sums[i]), even[i]);
    EXPECT_EQ(finished<P16>(1, sums[i]), even[i]);
    EXPECT_EQ(finished<W8>(1, sums[i]), even[i]);
  }
  EXPECT_EQ(finished<S8>(0, -77), -77);
  EXPECT_EQ(finished<P8>(0, 300), 127);
  EXPECT_EQ(finished<P8>(0, -300), -128);
  EXPECT_EQ(finished<C16>(0, 40000), 32767);
}

TEST(EspdlSums, ReluComesAfterTheShift) {
  EXPECT_EQ(finished<C8>(1, -3, true), 0);
  EXPECT_EQ(finished<S8>(3, 1000, true), 125);
  EXPECT_EQ(finished<P16>(0, 40000, true), 32767);
}

TEST(EspdlSums, ShiftsBeyond31Bits) {
  // The lower five bits count where a 32-bit register is shifted.
  EXPECT_EQ(finished<C8>(32, 77), 77);
  EXPECT_EQ(finished<C8>(34, 77), 19);
  // The ESP32-S3 shifts by one less first: its lower five bits.
  EXPECT_EQ(finished<S8>(32, 77), 0);
  EXPECT_EQ(finished<S8>(33, 77), 39);
  EXPECT_EQ(finished<S8>(31, -524288), 0);
  // Of 16 bits the sums are wide enough.
  EXPECT_EQ(finished<C16>(39, int64_t{5} << 38), 3);
  EXPECT_EQ(finished<S16>(39, int64_t{5} << 36), 1);
  EXPECT_EQ(finished<P16>(39, int64_t{5} << 38), 2);
}

TEST(EspdlSums, NegativeShifts) {
  EXPECT_EQ(finished<C8>(-3, 5), 40);
  EXPECT_EQ(finished<C8>(-3, 500), 127);
  EXPECT_EQ(finished<C16>(-3, -500), -4000);
  EXPECT_EQ(finished<W8>(-18, -1), -128);
  for (const auto& made :
       {S8::make(spec_of<int8_t>(1, -1)).ok(), P8::make(spec_of<int8_t>(1, -1)).ok(),
        S16::make(spec_of<int16_t>(1, -1)).ok()}) {
    EXPECT_FALSE(made);
  }
  const auto refused = P16::make(spec_of<int16_t>(1, -1));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::op_shift);
  auto spec = spec_of<int8_t>(1, -1);
  spec.allow_undefined = true;
  EXPECT_TRUE(S8::make(spec).ok());
}

TEST(EspdlSums, ExponentsPerChannelAreThoseOfTheP4) {
  auto spec = spec_of<int8_t>(2, 5);
  spec.weight.exponent = {-7, -5};
  spec.weight.axis = 0;
  const auto refused = S8::make(spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::op_quant);
  EXPECT_FALSE(C8::make(spec).ok());
  spec.out = Quant::power_of_two(-7);
  const auto rule = P8::make(spec);
  ASSERT_TRUE(rule.ok());
  EXPECT_EQ(rule->shifts, (std::vector<int>{5, 3}));
  EXPECT_TRUE(W8::make(spec).ok());
}

TEST(EspdlSums, ABiasThatOverflowsSumsIsRefused) {
  const auto refused = C16::make(spec_of<int16_t>(1, 1, {INT64_MAX}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::op_undefined);
  EXPECT_FALSE(S16::make(spec_of<int16_t>(1, 1, {INT64_MIN})).ok());
  EXPECT_TRUE(C16::make(spec_of<int16_t>(1, 1, {int64_t{1} << 50})).ok());
}

TEST(EspdlSums, OnlyThePortableSumsAreFreeOfOrder) {
  static_assert(C8::kExactSum && C16::kExactSum && W8::kExactSum);
  static_assert(!S8::kExactSum && !S16::kExactSum && !P8::kExactSum && !P16::kExactSum);
  static_assert(std::is_same_v<S8::Bias, int32_t> && std::is_same_v<P16::Bias, int64_t>);
}

}  // namespace
}  // namespace edgetwin::numerics::espdl
