// Saturating lanes against their definition, and the count of what saturation changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "differential/kernels/shapes.h"
#include "differential/kernels/shift_layer.h"
#include "kernels/lanes/conv.h"

namespace edgetwin::kernels::test {
namespace {

using numerics::Rounding;
constexpr int8_t kUntouched = 0x5A;

struct LaneLayer {
  ShiftLayer<int8_t> layer;
  std::vector<int32_t> lane_start, wide_start;
  LaneSpec spec;
  std::vector<int8_t> expected;
  int64_t different = 0;

  LaneLayer(const Window2D& window, bool depthwise, Random& random)
      : layer(window, depthwise, random) {
    layer.tail.rounding = Rounding::half_up;
    if (random.between(0, 3) == 0) pull_one_way(random);
    for (int o = 0; o < window.out_c; ++o) {
      const int near = random.between(0, 20000);
      const int32_t start = random.pick(
          {0, random.between(-1000, 1000), kLaneMax - near, kLaneMin + near, kLaneMax, kLaneMin});
      lane_start.push_back(start);
      // A bias of more than 20 bits wraps in the lane.
      wide_start.push_back(start + (random.between(0, 3) == 0 ? (1 << 20) : 0));
    }
    spec.window = window;
    spec.depthwise = depthwise;
    spec.weights = layer.weights.data();
    spec.lane_start = lane_start.data();
    spec.wide_start = wide_start.data();
    spec.tail = layer.tail;
    spec.channel_end = window.out_c;
    if (!depthwise && random.between(0, 2) == 0) {
      spec.channel_begin = random.between(0, window.out_c - 1);
      spec.channel_end = random.between(spec.channel_begin + 1, window.out_c);
    }
    compute();
  }

  void compute() {
    expected.assign(layer.out_size(), kUntouched);
    different = 0;
    std::size_t i = 0;
    layer.for_outputs([&](int n, int y, int x, int o) {
      const std::size_t at = i++;
      if (o < spec.channel_begin || o >= spec.channel_end) return;
      int64_t lane = lane_start[static_cast<std::size_t>(o)];
      int64_t wide = wide_start[static_cast<std::size_t>(o)];
      layer.for_taps(n, y, x, o, [&](int64_t a, int64_t b) {
        lane = std::max<int64_t>(std::min<int64_t>(lane + a * b, 524287), -524288);
        wide += a * b;
      });
      expected[at] = layer.finish(lane, o);
      different += expected[at] != layer.finish(wide, o) ? 1 : 0;
    });
  }

 private:
  // Positive products at first, then negative ones: the limit is met, and left again.
  void pull_one_way(Random& random) {
    for (int8_t& x : layer.in) x = static_cast<int8_t>(random.between(100, 127));
    const std::size_t half = layer.weights.size() / 2;
    for (std::size_t i = 0; i < layer.weights.size(); ++i) {
      layer.weights[i] = static_cast<int8_t>(random.between(90, 127) * (i < half ? 1 : -1));
    }
  }
};

void expect_equal(LaneLayer& lanes, uint64_t seed) {
  static ThreadPool pools[] = {ThreadPool(1), ThreadPool(2), ThreadPool(3)};
  for (const Isa isa : available_isas()) {
    lanes.spec.isa = isa;
    const auto conv = LaneConv::make(lanes.spec);
    ASSERT_NE(conv, nullptr) << name(isa) << ", seed " << seed << ": " << lanes.layer.describe();
    for (ThreadPool& pool : pools) {
      const auto scratch = std::make_unique<std::byte[]>(conv->scratch_bytes(pool.size()));
      const auto out = std::make_unique<int8_t[]>(lanes.expected.size());
      std::fill_n(out.get(), lanes.expected.size(), kUntouched);
      const int64_t different = conv->run(lanes.layer.in.data(), out.get(), scratch.get(), pool);
      for (std::size_t i = 0; i < lanes.expected.size(); ++i) {
        ASSERT_EQ(int{out[i]}, int{lanes.expected[i]})
            << conv->path() << ", " << pool.size() << " threads, element " << i << ", seed " << seed
            << ", channels " << lanes.spec.channel_begin << " to " << lanes.spec.channel_end << "\n"
            << lanes.layer.describe();
      }
      ASSERT_EQ(different, lanes.different) << conv->path() << ", seed " << seed << "\n"
                                            << lanes.layer.describe();
    }
  }
}

int64_t check(const Window2D& window, bool depthwise, uint64_t seed) {
  Random random(seed);
  LaneLayer lanes(window, depthwise, random);
  expect_equal(lanes, seed);
  return lanes.different;
}

TEST(LaneKernels, RandomDense) {
  Random random(base_seed() + 5);
  int64_t different = 0;
  for (uint64_t i = 0; i < 500; ++i) {
    different += check(random_window(random, false), false, base_seed() + 10 * i);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(different, 1000) << "these layers do not saturate";
}

TEST(LaneKernels, RandomDepthwise) {
  Random random(base_seed() + 6);
  int64_t different = 0;
  for (uint64_t i = 0; i < 500; ++i) {
    different += check(random_window(random, true), true, base_seed() + 10 * i);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(different, 1000) << "these layers do not saturate";
}

TEST(LaneKernels, Pointwise) {
  uint64_t seed = base_seed();
  for (int pixels = 1; pixels < 30; ++pixels) {
    for (const int in : {1, 3, 8, 64, 301}) {
      for (const int out : {1, 16, 32, 70}) {
        check(fully_connected_window(pixels, in, out), false, ++seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(LaneKernels, CommonShapes) {
  uint64_t seed = base_seed();
  for (const int size : {5, 14, 33}) {
    for (const int channels : {8, 16, 24, 64}) {
      for (const int stride : {1, 2}) {
        for (const int kernel : {3, 5}) {
          check(same_window(size, channels, channels, kernel, stride), true, ++seed);
        }
        check(same_window(size, 16, channels, 3, stride), false, ++seed);
        check(same_window(size, 3, channels, 3, stride), false, ++seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Products that all pull the same way, from starts with which they stay below the limit, meet it
// and pass it: blocks whose lanes cannot saturate are summed up otherwise.
TEST(LaneKernels, AroundTheLimit) {
  Random random(1);
  for (const int8_t w : {int8_t{-100}, int8_t{100}}) {
    for (const int beyond : {-1, 0, 1, 8000, 27000}) {
      LaneLayer lanes(fully_connected_window(3, 40, 33), false, random);
      lanes.layer.weights.assign(lanes.layer.weights.size(), w);
      lanes.layer.in.assign(lanes.layer.in.size(), -128);
      const int start = (kLaneMax - 40 * 12800 + beyond) * (w < 0 ? 1 : -1);
      lanes.lane_start.assign(33, start);
      lanes.wide_start.assign(33, start);
      lanes.layer.shifts = {13};
      lanes.layer.tail = {lanes.layer.shifts, Rounding::half_up, -128, 127};
      lanes.spec.tail = lanes.layer.tail;
      lanes.compute();
      EXPECT_EQ(lanes.different > 0, beyond >= 8000);
      expect_equal(lanes, 0);
      if (HasFatalFailure()) return;
    }
  }
}

// Sums beyond what the kernels count in take the plain code, and are as right.
TEST(LaneKernels, SumsOfManyBits) {
  Random random(1);
  LaneLayer lanes(fully_connected_window(2, 9000, 5), false, random);
  lanes.layer.weights.assign(lanes.layer.weights.size(), -128);
  lanes.layer.in.assign(lanes.layer.in.size(), -128);
  lanes.compute();
  expect_equal(lanes, 0);
}

TEST(LaneKernels, RefusesWhatItCannot) {
  Random random(1);
  LaneLayer lanes(same_window(5, 4, 20, 3, 1), false, random);
  const auto refused = [&](auto change) {
    LaneSpec spec = lanes.spec;
    change(spec);
    return LaneConv::make(spec) == nullptr;
  };
  ASSERT_FALSE(refused([](LaneSpec&) {}));
  const std::vector<int> large = {32};
  std::vector<int32_t> starts(20, 1 << 19);
  EXPECT_TRUE(refused([&](LaneSpec& s) { s.tail.shifts = large; }));
  EXPECT_TRUE(refused([](LaneSpec& s) { s.tail.rounding = Rounding::half_even; }));
  EXPECT_TRUE(refused([&](LaneSpec& s) { s.lane_start = starts.data(); }));
  EXPECT_TRUE(refused([](LaneSpec& s) { s.channel_end = 21; }));
  EXPECT_TRUE(refused([](LaneSpec& s) { s.channel_begin = s.channel_end; }));
  EXPECT_TRUE(refused([](LaneSpec& s) { s.window.stride_h = 0; }));
}

}  // namespace
}  // namespace edgetwin::kernels::test
