#include "targets/edgetpu/machine/engines/dot.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

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

}  // namespace
}  // namespace edgetwin::edgetpu::machine
