// Sums, differences and products of two operands on every instruction set against one element at a
// time: all forms, lengths around a vector, repeated operands.
#include "kernels/elements/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/rng.h"

namespace edgetwin::kernels {
namespace {

int32_t element(const std::vector<std::byte>& from, std::ptrdiff_t i, const PairConstants& c) {
  if (c.element_bytes == 2) {
    int16_t word;
    std::memcpy(&word, from.data() + 2 * i, sizeof word);
    return word;
  }
  return static_cast<int8_t>(from[static_cast<size_t>(i)]) & c.mask;
}

int32_t defined(const PairConstants& c, int32_t x, int32_t y, int64_t& ties) {
  int32_t result = 0;
  if (c.form == PairForm::halves) {
    const int32_t a = apply(c.a, x), b = apply(c.b, y);
    result = apply(c.out, c.less_b ? a - b : a + b);
  } else if (c.form == PairForm::product) {
    result = apply(c.out, x * y);
  } else if (c.form == PairForm::less_product) {
    // The same as a product, in numbers that a doubled (-32768)^2 does not leave.
    const int64_t product = int64_t{x} * y;
    const int64_t scaled = product * (int64_t{1} << c.out.left) * -c.out.multiplier;
    const int64_t high = (scaled + c.out.addend) >> 32;
    const bool less = c.out.sign == 31 && product < 0;
    result = static_cast<int32_t>((high - (less ? 1 : 0)) >> c.out.right);
  } else {
    const int32_t sum =
        c.form == PairForm::float_product ? x * y : x * c.weight_a + y * c.weight_b + c.number;
    const float f = std::clamp(static_cast<float>(sum) * c.factor, c.float_low, c.float_high);
    const float rounded = std::nearbyint(f);
    if (std::abs(f - rounded) == 0.5F) ++ties;
    result = static_cast<int32_t>(rounded);
  }
  return std::clamp(result + c.zero_out, c.low, c.high);
}

class PairCase {
 public:
  explicit PairCase(uint32_t seed) : random_(seed) {
    c_.form = static_cast<PairForm>(random_.next() % 5);
    const bool floats = c_.form == PairForm::float_sum || c_.form == PairForm::float_product;
    c_.element_bytes = floats || random_.next() % 2 == 0 ? 1 : 2;
    const bool is_unsigned = c_.element_bytes == 1 && random_.next() % 2 == 0;
    c_.mask = is_unsigned ? 255 : -1;
    c_.low = is_unsigned ? 0 : c_.element_bytes == 1 ? -128 : -32768;
    c_.high = is_unsigned ? 255 : -c_.low - 1;
    if (c_.element_bytes == 1) {
      c_.zero_a = c_.low + random_.byte();
      c_.zero_b = c_.low + random_.byte();
      c_.zero_out = c_.low + random_.byte();
    }
    c_.less_b = random_.next() % 2 == 0;
    const int64_t range = c_.element_bytes == 1 ? 255 : 32768;
    const int64_t second = c_.form == PairForm::product ? range * range : 1 << 20;
    const int scaled = c_.element_bytes == 1 ? 12 : 5;
    c_.a = stage(range, scaled);
    c_.b = stage(range, scaled);
    c_.out = stage(second, 0);
    if (c_.form == PairForm::less_product) {
      c_.out = stage(range * range - 1, 0);  // the largest product is one more
      c_.out.multiplier = -c_.out.multiplier;
    }
    c_.weight_a = static_cast<int32_t>(random_.next() % 128);
    c_.weight_b = static_cast<int32_t>(random_.next() % 128) - 64;
    c_.number = static_cast<int32_t>(random_.next() % 1000) - 500;
    c_.factor = 1.0F / static_cast<float>(1 << random_.next() % 12);
    c_.float_low = static_cast<float>(c_.low - c_.zero_out);
    c_.float_high = static_cast<float>(c_.high - c_.zero_out);
    count_ = 1 + random_.next() % 70;
    run_.step_a = random_.next() % 4 == 0 ? 0 : 1;
    run_.step_b = run_.step_a == 1 && random_.next() % 4 == 0 ? 0 : 1;
    for (auto* bytes : {&a_, &b_}) {
      bytes->resize(static_cast<size_t>(count_ * c_.element_bytes));
      for (std::byte& x : *bytes) x = std::byte{random_.byte()};
    }
  }

  void expect_equal(Isa isa, PairKernel kernel) {
    const auto size = static_cast<size_t>(count_ * c_.element_bytes);
    std::vector<std::byte> out(size + 1, std::byte{0x5A});
    int64_t ties = 0, wanted_ties = 0;
    c_.ties = &ties;
    run_.a = a_.data();
    run_.b = b_.data();
    run_.out = out.data();
    run_.count = count_;
    kernel(c_, run_);
    for (std::ptrdiff_t i = 0; i < count_; ++i) {
      const int32_t x = element(a_, i * run_.step_a, c_) - c_.zero_a;
      const int32_t y = element(b_, i * run_.step_b, c_) - c_.zero_b;
      ASSERT_EQ(element(out, i, c_), defined(c_, x, y, wanted_ties))
          << name(isa) << ": form " << static_cast<int>(c_.form) << ", " << x << " and " << y;
    }
    EXPECT_EQ(out[size], std::byte{0x5A});
    EXPECT_EQ(ties, wanted_ties) << name(isa);
  }

 private:
  FixedStage stage(int64_t range, int scaled) {
    const auto rounding = random_.next() % 2 == 0 ? numerics::Requantization::double_rounding
                                                  : numerics::Requantization::single_rounding;
    const numerics::QuantizedMultiplier m = {
        static_cast<int32_t>((1U << 30) + random_.next() % (1U << 30)),
        -static_cast<int>(random_.next() % 12)};
    return fixed_stage(m, rounding, -range, range, scaled).value_or(FixedStage{});
  }

  XorShift32 random_;
  PairConstants c_;
  PairRun run_;
  std::ptrdiff_t count_ = 0;
  std::vector<std::byte> a_, b_;
};

TEST(PairKernels, EqualOneElementAtATime) {
  for (const Isa isa : available_isas()) {
    const PairKernel kernel = pair_kernel(isa);
    EXPECT_EQ(kernel == nullptr, isa == Isa::plain) << name(isa);
    if (kernel == nullptr) continue;
    for (uint32_t seed = 1; seed <= 2000; ++seed) PairCase(seed * 977).expect_equal(isa, kernel);
  }
}

}  // namespace
}  // namespace edgetwin::kernels
