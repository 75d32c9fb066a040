// The 8-bit kernels with the finish of powers of two against their definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "differential/kernels/shapes.h"
#include "differential/kernels/shift_layer.h"
#include "kernels/i8/conv.h"

namespace edgetwin::kernels::test {
namespace {

using numerics::Rounding;
using Layer8 = ShiftLayer<int8_t>;

// Owns the 32-bit form of the bias.
struct Spec8 {
  std::vector<int32_t> bias;
  Conv8Spec spec;

  explicit Spec8(const Layer8& layer) : bias(layer.bias.begin(), layer.bias.end()) {
    spec.window = layer.window;
    spec.depthwise = layer.depthwise;
    spec.weights = layer.weights.data();
    spec.bias = bias.data();
    spec.shift_tail = layer.tail;
  }
};

void expect_equal(const Layer8& layer, uint64_t seed) {
  static ThreadPool pools[] = {ThreadPool(1), ThreadPool(2), ThreadPool(3)};
  const std::vector<int8_t> expected = layer.expected();
  Spec8 made(layer);
  for (const Isa isa : fast_isas()) {
    made.spec.isa = isa;
    const auto conv = PackedConv::make(made.spec);
    ASSERT_NE(conv, nullptr) << name(isa) << ", seed " << seed << ": " << layer.describe();
    for (ThreadPool& pool : pools) {
      const auto scratch = std::make_unique<std::byte[]>(conv->scratch_bytes(pool.size()));
      std::vector<int8_t> actual(expected.size());
      conv->run(layer.in.data(), actual.data(), scratch.get(), pool);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(int{actual[i]}, int{expected[i]})
            << conv->path() << ", " << pool.size() << " threads, element " << i << ", seed " << seed
            << "\n"
            << layer.describe();
      }
    }
  }
}

void check(const Window2D& window, bool depthwise, uint64_t seed) {
  Random random(seed);
  expect_equal(Layer8(window, depthwise, random), seed);
}

TEST(ShiftKernels, Random) {
  Random random(base_seed() + 2);
  for (uint64_t i = 0; i < 500; ++i) {
    const bool depthwise = i % 2 == 0;
    check(random_window(random, depthwise), depthwise, base_seed() + 10 * i);
    if (HasFatalFailure()) return;
  }
}

TEST(ShiftKernels, CommonShapes) {
  uint64_t seed = base_seed();
  for (const int size : {5, 14, 33}) {
    for (const int channels : {8, 16, 24, 64, 72}) {
      for (const int stride : {1, 2}) {
        for (const int kernel : {3, 5}) {
          check(same_window(size, channels, channels, kernel, stride), true, ++seed);
        }
        check(same_window(size, 3, channels, 3, stride), false, ++seed);
        check(fully_connected_window(size, channels, channels + 3), false, ++seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Every shift, for sums at and around ties and at the ends of 32 bits: a layer of one input, whose
// weight is zero, hands its bias to the finish.
TEST(ShiftKernels, EveryShift) {
  Random random(base_seed());
  for (const auto rounding : {Rounding::half_up, Rounding::half_even}) {
    for (int shift = 0; shift <= 31; ++shift) {
      for (const int64_t bound : {int64_t{INT32_MAX}, int64_t{1} << 30, int64_t{1} << 20}) {
        std::vector<int64_t> sums = {bound, -bound, bound - 1, 1 - bound};
        const int64_t half = ShiftTail::half(shift);
        for (int64_t q = -140; q <= 140; ++q) {
          for (int64_t near = -1; near <= 1; ++near) {
            sums.push_back(std::clamp((q << shift) + half + near, -bound, bound));
          }
        }
        Layer8 layer(fully_connected_window(1, 1, static_cast<int>(sums.size())), false, random);
        layer.weights.assign(sums.size(), 0);
        layer.bias = sums;
        layer.shifts = {shift};
        layer.tail = {layer.shifts, rounding, -128, 127};
        expect_equal(layer, static_cast<uint64_t>(shift));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(ShiftKernels, RefusesWhatItCannot) {
  if (best_isa() == Isa::plain) GTEST_SKIP() << "this processor has none of the instruction sets";
  Random random(1);
  Layer8 layer(same_window(5, 4, 4, 3, 1), false, random);
  layer.weights.assign(layer.weights.size(), 100);
  layer.bias.assign(4, 0);
  layer.shifts = {5};
  layer.tail = {layer.shifts, Rounding::half_up, -128, 127};
  const auto refused = [&](auto change) {
    Spec8 made(layer);
    change(made);
    return PackedConv::make(made.spec) == nullptr;
  };
  ASSERT_FALSE(refused([](Spec8&) {}));
  const std::vector<int> negative = {-1}, large = {32}, three = {1, 2, 3};
  EXPECT_TRUE(refused([&](Spec8& s) { s.spec.shift_tail->shifts = negative; }));
  EXPECT_TRUE(refused([&](Spec8& s) { s.spec.shift_tail->shifts = large; }));
  EXPECT_TRUE(refused([&](Spec8& s) { s.spec.shift_tail->shifts = three; }));
  EXPECT_TRUE(refused([](Spec8& s) { s.spec.shift_tail->rounding = Rounding::floor; }));
  EXPECT_TRUE(refused([](Spec8& s) { s.spec.shift_tail->act_max = 128; }));
  EXPECT_TRUE(refused([](Spec8& s) { s.spec.input_zero_point = 1; }));
  EXPECT_TRUE(refused([](Spec8& s) { s.spec.is_unsigned = true; }));
  // 36 weights of 100: sums reach 460800 either way of the bias.
  EXPECT_TRUE(refused([](Spec8& s) { s.bias[2] = INT32_MAX - 460799; }));
  EXPECT_FALSE(refused([](Spec8& s) { s.bias[2] = INT32_MAX - 460800; }));
  EXPECT_TRUE(refused([](Spec8& s) { s.bias[3] = INT32_MIN + 460800; }));
}

}  // namespace
}  // namespace edgetwin::kernels::test
