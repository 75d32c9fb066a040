#include "targets/edgetpu/machine/lanes/words.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "targets/edgetpu/machine/lanes/dot.h"

namespace edgetwin::edgetpu::machine {
namespace {

struct WordForm {
  int weight, products;
};

// The dot products of dot_of() one after the other, or the reason why there are none.
TEST(MachineWords, AreTheirProductsOneAfterTheOther) {
  XorShift32 random(12);
  constexpr WordForm kForms[] = {{1, 4}, {1, 1}, {2, 2}, {2, 1}};
  size_t fitted = 0, refused = 0;
  for (int round = 0; round < 400; ++round) {
    const WordForm form = kForms[round % 4];
    const size_t length = 1 + random.next() % 40, count = 1 + random.next() % 11;
    std::vector<std::byte> narrow(2048), wide(256 * 8);
    for (std::byte& b : narrow) b = std::byte{random.byte()};
    for (std::byte& b : wide) b = std::byte{random.byte()};
    std::vector<int32_t> in(length), lines(length);
    for (int32_t& by : in) by = static_cast<int32_t>(random.next() % 1000);
    for (int32_t& by : lines) by = static_cast<int32_t>(random.next() % 8 * 256);
    const int32_t zero = random.next() % 4 == 0 ? static_cast<int32_t>(random.next())
                                                : static_cast<int32_t>(random.next() % 32768);
    const auto input_zero = static_cast<int32_t>(random.next() % 70000);
    std::array<int32_t, kWordLanes> first{};
    for (int32_t& f : first) f = static_cast<int32_t>(random.next());
    std::vector<const std::byte*> rows(count);
    for (auto& row : rows) row = narrow.data() + random.next() % 1000;
    std::vector<int32_t> expected, sums(count * kWordLanes);
    const Dot dot = dot_of(1, form.weight, form.products);
    for (size_t r = 0; r < count; ++r) {
      std::array<int32_t, kWordLanes> sum = first;
      for (size_t k = 0; k < length; ++k) {
        dot(rows[r] + in[k], wide.data() + lines[k], input_zero, zero, kWordLanes, sum.data());
      }
      expected.insert(expected.end(), sum.begin(), sum.end());
    }
    WordFactors factors(length, form.weight, form.products);
    if (!factors.set(wide.data(), lines.data(), {zero, zero, zero, zero})) {
      ++refused;
      continue;
    }
    ++fitted;
    factors.multiply(in.data(), input_zero, first.data(), rows.data(), count, sums.data());
    ASSERT_EQ(sums, expected) << round;
  }
  EXPECT_GT(fitted, 120U);
  EXPECT_GT(refused, 20U);
}

// Each lane has a zero point of its own.
TEST(MachineWords, LanesHaveTheirZeroPoints) {
  std::vector<std::byte> x(4, std::byte{3}), line(16, std::byte{10});
  const int32_t none = 0;
  const std::array<int32_t, kWordLanes> first{}, zero{0, 5, 10, -32512};
  WordFactors factors(1, 1, 4);
  ASSERT_TRUE(factors.set(line.data(), &none, zero));
  const std::byte* row = x.data();
  std::array<int32_t, kWordLanes> sums{};
  factors.multiply(&none, 1, first.data(), &row, 1, sums.data());
  EXPECT_EQ(sums, (std::array<int32_t, kWordLanes>{80, 40, 0, 8 * 32522}));
  EXPECT_FALSE(factors.set(line.data(), &none, {0, 0, 0, 40000}));
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
