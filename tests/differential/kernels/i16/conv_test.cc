// The 16-bit kernels against exact sums, on every instruction set of this machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "differential/kernels/shapes.h"
#include "differential/kernels/shift_layer.h"
#include "kernels/i16/conv.h"

namespace edgetwin::kernels::test {
namespace {

using numerics::Rounding;
using Layer16 = ShiftLayer<int16_t>;

Conv16Spec spec_of(const Layer16& layer) {
  Conv16Spec spec;
  spec.window = layer.window;
  spec.depthwise = layer.depthwise;
  spec.weights = layer.weights.data();
  spec.bias = layer.bias.data();
  spec.tail = layer.tail;
  return spec;
}

constexpr int16_t kGuard = 0x5AA5;

std::vector<int16_t> run_fast(const Layer16& layer, const PackedConv16& conv, ThreadPool& pool) {
  const std::size_t guard = 64;
  std::vector<int16_t> out(layer.out_size() + guard, kGuard);
  const auto scratch = std::make_unique<std::byte[]>(conv.scratch_bytes(pool.size()));
  conv.run(layer.in.data(), out.data(), scratch.get(), pool);
  for (std::size_t i = layer.out_size(); i < out.size(); ++i) {
    EXPECT_EQ(out[i], kGuard) << "written past the end";
  }
  out.resize(layer.out_size());
  return out;
}

void expect_equal(const Layer16& layer, uint64_t seed) {
  static ThreadPool pools[] = {ThreadPool(1), ThreadPool(2), ThreadPool(3)};
  const std::vector<int16_t> expected = layer.expected();
  Conv16Spec spec = spec_of(layer);
  for (const Isa isa : fast_isas()) {
    spec.isa = isa;
    const auto conv = PackedConv16::make(spec);
    ASSERT_NE(conv, nullptr) << name(isa) << ", seed " << seed << ": " << layer.describe();
    for (ThreadPool& pool : pools) {
      const std::vector<int16_t> actual = run_fast(layer, *conv, pool);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(actual[i], expected[i]) << conv->path() << ", " << pool.size()
                                          << " threads, element " << i << ", seed " << seed << "\n"
                                          << layer.describe();
      }
    }
  }
}

void check(const Window2D& window, bool depthwise, uint64_t seed) {
  Random random(seed);
  expect_equal(Layer16(window, depthwise, random), seed);
}

TEST(Kernels16, RandomDense) {
  Random random(base_seed() + 3);
  for (uint64_t i = 0; i < 500; ++i) {
    check(random_window(random, false), false, base_seed() + 10 * i);
    if (HasFatalFailure()) return;
  }
}

TEST(Kernels16, RandomDepthwise) {
  Random random(base_seed() + 4);
  for (uint64_t i = 0; i < 600; ++i) {
    check(random_window(random, true), true, base_seed() + 10 * i);
    if (HasFatalFailure()) return;
  }
}

TEST(Kernels16, Pointwise) {
  uint64_t seed = base_seed();
  for (int pixels = 1; pixels < 40; ++pixels) {
    for (const int in : {1, 3, 4, 7, 16, 61}) {
      for (const int out : {1, 8, 17, 32, 70}) {
        check(fully_connected_window(pixels, in, out), false, ++seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Kernels16, CommonShapes) {
  uint64_t seed = base_seed();
  for (const int size : {5, 14, 33}) {
    for (const int channels : {16, 24, 64, 72}) {
      for (const int stride : {1, 2}) {
        for (const int kernel : {3, 5}) {
          check(same_window(size, channels, channels, kernel, stride), true, ++seed);
        }
        check(same_window(size, 16, channels, 3, stride), false, ++seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Windows whose sums have to be settled on the way, with operands that all pull the same way.
TEST(Kernels16, LongSums) {
  Random random(base_seed());
  for (const int in : {255, 500, 1024, 4097, 20000}) {
    for (const int16_t x : {int16_t{-32768}, int16_t{32767}, int16_t{-1}}) {
      for (const int16_t w : {int16_t{-32768}, int16_t{32767}, int16_t{127}, int16_t{-128}}) {
        Layer16 layer(fully_connected_window(3, in, 20), false, random);
        layer.in.assign(layer.in.size(), x);
        layer.weights.assign(layer.weights.size(), w);
        layer.shifts.assign(1, random.between(20, 40));
        layer.tail.shifts = layer.shifts;
        expect_equal(layer, 0);
        if (HasFatalFailure()) return;
      }
    }
    for (uint64_t seed = 0; seed < 4; ++seed) {
      check(fully_connected_window(5, in, 33), false, base_seed() + seed);
      if (HasFatalFailure()) return;
    }
  }
}

// Every shift at and around every tie: the bias goes through the finish, beside weights that make
// the layer take each of its forms.
void check_shift(int shift, Rounding rounding, int16_t weight, bool depthwise) {
  Random random(1);
  std::vector<int64_t> sums;
  const int64_t bound = int64_t{1} << 59;
  for (const int64_t q : {-32769, -32768, -32767, -129, -2, -1, 0, 1, 2, 77, 32766, 32767, 32768}) {
    for (int64_t near = -1; near <= 1; ++near) {
      const auto tie = static_cast<double>(q) * std::ldexp(1.0, shift);
      if (std::abs(tie) < 5e17)
        sums.push_back((q * (int64_t{1} << shift)) + ShiftTail::half(shift) + near);
    }
  }
  for (int64_t reach = 1; reach < bound; reach *= 16) {
    sums.push_back(reach);
    sums.push_back(-reach - 3);
  }
  for (int64_t& sum : sums) sum = std::clamp(sum, -bound, bound);
  const auto count = static_cast<int>(sums.size());
  Layer16 layer(fully_connected_window(2, depthwise ? count : 2, count), depthwise, random);
  layer.weights.assign(layer.weights.size(), weight);
  layer.in.assign(layer.in.size(), 0);
  layer.shifts = {shift};
  layer.tail = {layer.shifts, rounding, -32768, 32767};
  for (const int64_t limit : {bound, int64_t{1} << 44, int64_t{1} << 34, int64_t{1} << 30}) {
    layer.bias = sums;
    for (int64_t& b : layer.bias) b = std::clamp(b, -limit + 1, limit - 1);
    expect_equal(layer, static_cast<uint64_t>(shift));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Kernels16, EveryShift) {
  for (const auto rounding : {Rounding::half_up, Rounding::half_even}) {
    for (int shift = 0; shift <= 62; ++shift) {
      for (const int16_t weight : {int16_t{0}, int16_t{32767}}) {
        check_shift(shift, rounding, weight, false);
        check_shift(shift, rounding, weight, true);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Kernels16, RefusesWhatItCannot) {
  Random random(1);
  Layer16 layer(same_window(5, 4, 4, 3, 1), false, random);
  const auto refused = [&](auto change) {
    Conv16Spec spec = spec_of(layer);
    change(spec);
    return PackedConv16::make(spec) == nullptr;
  };
  ASSERT_FALSE(refused([](Conv16Spec&) {}));
  const std::vector<int> negative = {-1}, large = {63};
  EXPECT_TRUE(refused([&](Conv16Spec& s) { s.tail.shifts = negative; }));
  EXPECT_TRUE(refused([&](Conv16Spec& s) { s.tail.shifts = large; }));
  EXPECT_TRUE(refused([](Conv16Spec& s) { s.tail.rounding = Rounding::truncate; }));
  EXPECT_TRUE(refused([](Conv16Spec& s) { s.tail.act_max = 32768; }));
  EXPECT_TRUE(refused([](Conv16Spec& s) { s.isa = Isa::plain; }));
  EXPECT_TRUE(refused([](Conv16Spec& s) { s.window.out_w = 0; }));
  layer.bias[1] = INT64_MAX;
  EXPECT_TRUE(refused([](Conv16Spec&) {}));
}

}  // namespace
}  // namespace edgetwin::kernels::test
