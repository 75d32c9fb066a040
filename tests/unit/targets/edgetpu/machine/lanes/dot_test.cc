#include "targets/edgetpu/machine/lanes/dot.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <random>
#include <vector>

#include "targets/edgetpu/machine/lanes/dot_rows.h"

namespace edgetwin::edgetpu::machine {
namespace {

// Zero points of any size, with which sums wrap, and lanes that fill no vector.
TEST(MachineDot, FourProductsOfEachLane) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const int lanes = 1 + static_cast<int>(random() % 64);
    const auto count = static_cast<size_t>(lanes);
    std::vector<std::byte> x(4), weights(4 * count);
    for (std::byte& b : x) b = static_cast<std::byte>(random());
    for (std::byte& b : weights) b = static_cast<std::byte>(random());
    std::vector<int32_t> zero(count), sums(count), expected(count);
    const bool wild = round % 5 == 0;
    for (int32_t& z : zero)
      z = wild ? static_cast<int32_t>(random()) : static_cast<int32_t>(random() % 256);
    for (size_t l = 0; l < count; ++l) sums[l] = expected[l] = static_cast<int32_t>(random());
    const int32_t input_zero = round % 7 == 0 ? 70000 : static_cast<int32_t>(random() % 256);
    for (size_t l = 0; l < count; ++l) {
      auto sum = static_cast<uint32_t>(expected[l]);
      for (size_t i = 0; i < 4; ++i) {
        const auto a = static_cast<uint32_t>(static_cast<int32_t>(x[i]) - input_zero);
        const auto b = static_cast<uint32_t>(static_cast<int32_t>(weights[4 * l + i]) - zero[l]);
        sum += a * b;
      }
      expected[l] = static_cast<int32_t>(sum);
    }
    dot_lanes(x.data(), weights.data(), input_zero, zero.data(), lanes, sums.data());
    EXPECT_EQ(sums, expected) << lanes << " lanes, round " << round;
  }
}

// Any number of rows and iterations, with the largest zero points that fit.
TEST(MachineDot, RowsSideBySideAreRowsAlone) {
  std::mt19937 random(6);
  constexpr size_t kLine = 256;
  for (int round = 0; round < 200; ++round) {
    const int lanes = 4 * (1 + static_cast<int>(random() % 16));
    const size_t length = 1 + random() % 150;
    const size_t count = 1 + random() % 11;
    std::vector<std::byte> narrow(4096), wide(kLine * 40);
    for (std::byte& b : narrow) b = static_cast<std::byte>(random());
    for (std::byte& b : wide) b = static_cast<std::byte>(random());
    std::vector<int32_t> in(length), lines(length), zero(static_cast<size_t>(lanes));
    for (int32_t& by : in) by = static_cast<int32_t>(random() % 2000);
    for (int32_t& by : lines) by = static_cast<int32_t>(random() % 40 * kLine);
    for (int32_t& z : zero) {
      z = round % 3 == 0 ? (random() % 2 == 0 ? 32767 : -32512)
                         : static_cast<int32_t>(random() % 256);
    }
    std::vector<int16_t> zeros(static_cast<size_t>(lanes) * 4);
    ASSERT_TRUE(spread_zeros(zero.data(), lanes, zeros.data()));
    const auto input_zero = static_cast<int32_t>(random() % 256);
    std::vector<int32_t> sums(count * static_cast<size_t>(lanes));
    for (int32_t& sum : sums) sum = static_cast<int32_t>(random());
    std::vector<int32_t> expected = sums;
    std::vector<DotRow> rows;
    for (size_t r = 0; r < count; ++r) {
      const std::byte* x = narrow.data() + random() % 2000;
      rows.push_back({x, sums.data() + r * static_cast<size_t>(lanes)});
      for (size_t n = 0; n < length; ++n) {
        dot_lanes(x + in[n], wide.data() + lines[n], input_zero, zero.data(), lanes,
                  expected.data() + r * static_cast<size_t>(lanes));
      }
    }
    dot_rows({in.data(), lines.data(), length, wide.data(), input_zero, zeros.data(), lanes},
             rows.data(), count);
    EXPECT_EQ(sums, expected) << lanes << " lanes, " << count << " rows, round " << round;
  }
}

TEST(MachineDot, ZeroPointsThatAreNoWordsAreSaidToBe) {
  std::vector<int16_t> zeros(8);
  for (const int32_t zero : {32768, -32513, 1 << 30}) {
    const std::vector<int32_t> of{3, zero};
    EXPECT_FALSE(spread_zeros(of.data(), 2, zeros.data())) << zero;
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
