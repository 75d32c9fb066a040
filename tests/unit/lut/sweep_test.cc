#include <algorithm>

#include "lut/sweep.h"

#include "base/rng.h"
#include "gtest/gtest.h"

namespace edgetwin::lut {
namespace {

constexpr int kInputs = 65536;

std::vector<int16_t> random_entries(int64_t count, uint32_t seed) {
  XorShift32 random(seed);
  std::vector<int16_t> entries(static_cast<size_t>(count));
  for (int16_t& e : entries) {
    e = static_cast<int16_t>(random.next() >> 16);
    const uint32_t kind = random.next() >> 28;
    if (kind == 0) e = 32767;  // the largest differences too
    if (kind == 1) e = -32768;
  }
  return entries;
}

Tensor table_of(const std::vector<int16_t>& entries) {
  Tensor t = *Tensor::zeros(DType::int16, Shape{static_cast<int64_t>(entries.size())});
  std::copy(entries.begin(), entries.end(), t.as<int16_t>().begin());
  return t;
}

int16_t plain(const std::vector<int16_t>& table, int step, int u, LutRule rule, Rounding ties) {
  const auto x = static_cast<int16_t>(u - 32768);
  return rule == LutRule::interpolate ? numerics::lut16_interpolate(table.data(), step, x)
                                      : numerics::lut16_nearest(table.data(), step, x, ties);
}

// Counted, not asserted one by one: a hundred million comparisons.
void expect_plain(const std::vector<int16_t>& table, int step, LutRule rule, Rounding ties,
                  const std::vector<int16_t>& got) {
  int wrong = 0;
  int first = -1;
  for (int u = 0; u < kInputs; ++u) {
    if (got[static_cast<size_t>(u)] == plain(table, step, u, rule, ties)) continue;
    if (wrong++ == 0) first = u - 32768;
  }
  EXPECT_EQ(wrong, 0) << "step " << step << " first at input " << first << " " << name(rule);
}

TEST(Sweep, EqualsThePlainFunctionsForEveryStep) {
  for (int step = 1; step <= 32768; step *= 2) {
    for (uint32_t seed = 1; seed <= 4; ++seed) {
      const auto entries = random_entries(numerics::lut_entries(step), seed * 77 + 1);
      const Tensor table = table_of(entries);
      std::vector<int16_t> got(kInputs);
      for (const Rounding ties : {Rounding::half_even, Rounding::half_up}) {
        for (const LutRule rule : {LutRule::interpolate, LutRule::nearest}) {
          ASSERT_TRUE(sweep_into(table, rule, ties, got).ok());
          expect_plain(entries, step, rule, ties, got);
        }
      }
    }
  }
}

// Every difference that two entries can have, at every power of two up to 256: the arithmetic
// progression against the division of the definition. Both ends of the range of the left entry.
TEST(Sweep, EverySegmentDifferenceIsExact) {
  for (int step = 2; step <= 256; step *= 2) {
    const int segments = kInputs / step;
    std::vector<int16_t> table(static_cast<size_t>(segments) + 1);
    std::vector<int16_t> got(kInputs);
    int difference = -65535;
    while (difference <= 65535) {
      // Pairs (a, a + d) at even segments; d and -d take turns, so that all pairs chain.
      const int first = difference;
      for (int i = 0; i <= segments; ++i) {
        const bool right = i % 2 != 0;
        const int d = difference;
        const int left = d >= 0 ? -32768 : 32767;
        table[static_cast<size_t>(i)] = static_cast<int16_t>(right ? left + d : left);
        if (right && difference < 65536) ++difference;
        if (difference > 65535) difference = 65535;
      }
      sweep_interpolate(table.data(), step, got.data());
      int wrong = 0;
      for (int u = 0; u < kInputs; ++u) {
        const int r = u % step;
        const auto i = static_cast<size_t>(u / step);
        const int d = table[i + 1] - table[i];
        if (got[static_cast<size_t>(u)] != table[i] + r * d / step) ++wrong;
      }
      ASSERT_EQ(wrong, 0) << "step " << step << " differences from " << first;
      if (difference == 65535 && first == 65535) break;
    }
  }
}

TEST(Sweep, AnyStepEqualsTheDivision) {
  for (int step = 2; step <= 32768; step = step < 300 ? step + 1 : step * 3 / 2 + 1) {
    const int needed = (kInputs - 1) / step + 2;
    const auto entries = random_entries(needed, static_cast<uint32_t>(step));
    std::vector<int16_t> got(kInputs);
    sweep_interpolate_any_step(entries.data(), step, got.data());
    expect_plain(entries, step, LutRule::interpolate, Rounding::half_up, got);
  }
}

TEST(Sweep, AnyStepIsExactForEveryDifference) {
  int wrong = 0;
  for (int step = 2; step <= 257; ++step) {
    const double reciprocal = 1.0 / step;
    for (int d = 0; d <= 65535; d += (step < 8 || step == 257 ? 1 : 13)) {
      for (int r = 0; r < step; r += (step < 8 ? 1 : 7)) {
        if (static_cast<int32_t>((r * d + 0.5) * reciprocal) != r * d / step) ++wrong;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Sweep, FullTableAndEightBitsAreTheTable) {
  const auto entries = random_entries(65536, 5);
  const auto full = sweep(table_of(entries), LutRule::nearest, Rounding::half_up);
  ASSERT_TRUE(full.ok());
  EXPECT_TRUE(std::equal(entries.begin(), entries.end(), full->as<int16_t>().begin()));

  Tensor narrow = *Tensor::zeros(DType::int8, Shape{256});
  for (int i = 0; i < 256; ++i)
    narrow.as<int8_t>()[static_cast<size_t>(i)] = static_cast<int8_t>(i);
  const auto all = sweep(narrow, LutRule::interpolate, Rounding::half_even);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->data, narrow.data);
  std::vector<int16_t> wide(256);
  ASSERT_TRUE(sweep_into(narrow, LutRule::interpolate, Rounding::half_even, wide).ok());
  EXPECT_EQ(wide[255], -1);
}

TEST(Sweep, ShortTablesReadZerosBehindTheirEnd) {
  std::vector<int16_t> entries(256, 1000);
  std::vector<int16_t> got(kInputs);
  ASSERT_TRUE(sweep_into(table_of(entries), LutRule::interpolate, Rounding::half_up, got).ok());
  EXPECT_EQ(got.front(), 1000);
  EXPECT_EQ(got.back(), 1000);  // weight 0 for the missing entry
  entries.assign(2048, 1000);
  ASSERT_TRUE(sweep_into(table_of(entries), LutRule::interpolate, Rounding::half_up, got).ok());
  EXPECT_EQ(got[65504], 1000);
  EXPECT_EQ(got[65520], 500);
}

TEST(Sweep, RefusesWhatIsNoTable) {
  std::vector<int16_t> out(kInputs);
  const auto code = [&](const Tensor& t, LutRule rule = LutRule::interpolate) {
    const Status status = sweep_into(t, rule, Rounding::half_up, out);
    return status.ok() ? ErrorCode::internal : status.error().code;
  };
  EXPECT_EQ(code(table_of(std::vector<int16_t>(2))), ErrorCode::lut_table);
  EXPECT_EQ(code(table_of(std::vector<int16_t>(65538))), ErrorCode::lut_table);
  EXPECT_EQ(code(*Tensor::zeros(DType::float32, Shape{257})), ErrorCode::lut_table);
  EXPECT_EQ(code(*Tensor::zeros(DType::int8, Shape{255})), ErrorCode::lut_table);
  EXPECT_EQ(code(table_of(std::vector<int16_t>(256)), LutRule::nearest), ErrorCode::lut_step);
  Tensor cut = table_of(std::vector<int16_t>(257));
  cut.data.resize(100);
  EXPECT_EQ(code(cut), ErrorCode::lut_table);
  out.resize(100);
  EXPECT_EQ(code(table_of(std::vector<int16_t>(257))), ErrorCode::lut_table);
}

}  // namespace
}  // namespace edgetwin::lut
