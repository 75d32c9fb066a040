// The store stages against the scalar definition: every shift, extreme multipliers, and sums at and
// around every tie. A layer of one input, whose weight is 1, hands its bias to the store stage.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "differential/kernels/plain_conv.h"
#include "differential/kernels/random_layer.h"

namespace edgetwin::kernels::test {
namespace {

using numerics::QuantizedMultiplier;
using numerics::Requantization;

// Sums whose products are at a tie of the final shift, or next to it, and small and large ones.
std::vector<int32_t> interesting_sums(QuantizedMultiplier m, int64_t bound, Random& random) {
  std::vector<int32_t> sums;
  const auto add = [&](int64_t x) {
    if (x >= -bound && x <= bound) sums.push_back(static_cast<int32_t>(x));
  };
  for (int64_t x : {int64_t{0}, int64_t{1}, bound, bound - 1, bound / 2, bound / 3}) {
    add(x);
    add(-x);
  }
  const double scale = std::ldexp(m.multiplier, m.shift - 31);
  for (int i = 0; i < 40 && scale > 0; ++i) {
    const double y = random.between(-300, 300) + 0.5;
    if (std::abs(y / scale) > 2e9) continue;
    const auto x = static_cast<int64_t>(std::llround(y / scale));
    for (int64_t near = -2; near <= 2; ++near) add(x + near);
  }
  for (int i = 0; i < 20; ++i) {
    const auto limit = static_cast<int>(bound);
    add(random.between(-limit, limit) >> random.between(0, 30));
  }
  return sums;
}

struct TailCase {
  Requantization requantization;
  bool rectified, is_unsigned;
};

template <class T>
void check_tail(const TailCase& c, QuantizedMultiplier m, int64_t bound, Random& random) {
  constexpr int low = std::is_signed_v<T> ? -128 : 0;
  const std::vector<int32_t> sums = interesting_sums(m, bound, random);
  const auto count = static_cast<int>(sums.size());
  const std::vector<T> in(1, static_cast<T>(1)), weights(sums.size(), static_cast<T>(0));
  const QuantizedMultiplier multipliers[] = {m};
  Conv8Spec spec;
  spec.window = fully_connected_window(1, 1, count);
  spec.is_unsigned = c.is_unsigned;
  spec.weights = weights.data();
  spec.bias = sums.data();
  spec.tail.multipliers = multipliers;
  spec.tail.requantization = c.requantization;
  spec.tail.output_zero_point = low + random.between(0, 255);
  spec.tail.act_min = c.rectified ? spec.tail.output_zero_point : low;
  spec.tail.act_max = low + 255;
  const std::vector<T> expected = PlainConv<T>{spec, in}.run();
  ThreadPool pool(1);
  for (const Isa isa : available_isas()) {
    if (isa == Isa::plain) continue;
    spec.isa = isa;
    const auto conv = PackedConv::make(spec);
    ASSERT_NE(conv, nullptr);
    const auto scratch = std::make_unique<std::byte[]>(conv->scratch_bytes(1));
    std::vector<T> actual(sums.size());
    conv->run(in.data(), actual.data(), scratch.get(), pool);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      ASSERT_EQ(int{actual[i]}, int{expected[i]})
          << conv->path() << " sum " << sums[i] << " multiplier " << m.multiplier << " shift "
          << m.shift << " zero point " << spec.tail.output_zero_point;
    }
  }
}

void check_case(const TailCase& c, int64_t bound_of_sums, uint64_t seed) {
  Random random(seed);
  for (int shift = -31; shift <= 30; ++shift) {
    std::vector<int32_t> multipliers = {0, 1 << 30, (1 << 30) + 1, INT32_MAX, INT32_MAX - 1};
    for (int i = 0; i < 6; ++i) multipliers.push_back(random.between(1 << 30, INT32_MAX));
    for (int i = 0; i < 3; ++i) {  // with many trailing zeros: exact ties of the first rounding
      multipliers.push_back((1 << 30) | (random.between(0, 255) << random.between(16, 22)));
    }
    // Sums that stay within 31 bits after the left shift take the cheap forms, others do not.
    const int64_t bound = shift > 0 ? std::max<int64_t>(bound_of_sums >> shift, 4) : bound_of_sums;
    for (const int32_t q : multipliers) {
      if (c.is_unsigned) {
        check_tail<uint8_t>(c, {q, shift}, bound, random);
      } else {
        check_tail<int8_t>(c, {q, shift}, bound, random);
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(TailKernels, EqualTheScalarDefinition) {
  uint64_t seed = 1;
  for (const auto r : {Requantization::double_rounding, Requantization::single_rounding}) {
    for (const bool rectified : {false, true}) {
      for (const bool is_unsigned : {false, true}) {
        for (const int64_t bound : {int64_t{INT32_MAX}, int64_t{1} << 29, int64_t{1} << 20}) {
          check_case({r, rectified, is_unsigned}, bound, ++seed);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace edgetwin::kernels::test
