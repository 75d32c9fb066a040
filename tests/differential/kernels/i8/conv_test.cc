// Every instruction set of this machine against the definition, over shapes that are awkward on
// purpose. EDGETWIN_TEST_SEED repeats the run that a failure names.
#include <gtest/gtest.h>

#include <memory>

#include "differential/kernels/plain_conv.h"
#include "differential/kernels/random_layer.h"
#include "differential/kernels/shapes.h"

namespace edgetwin::kernels::test {
namespace {

constexpr unsigned char kGuard = 0xA5;

template <class T>
std::vector<T> run_fast(const Layer<T>& layer, const PackedConv& conv, ThreadPool& pool) {
  const std::size_t guard = 64;
  std::vector<T> out(layer.out_size() + guard, static_cast<T>(kGuard));
  // Exactly as large as asked for, so that an address sanitizer sees what is written beyond.
  const auto scratch = std::make_unique<std::byte[]>(conv.scratch_bytes(pool.size()));
  conv.run(layer.in.data(), out.data(), scratch.get(), pool);
  for (std::size_t i = layer.out_size(); i < out.size(); ++i) {
    EXPECT_EQ(static_cast<unsigned char>(out[i]), kGuard) << "written past the end";
  }
  out.resize(layer.out_size());
  return out;
}

template <class T>
void expect_equal(Layer<T>& layer, const std::string& what) {
  static ThreadPool pools[] = {ThreadPool(1), ThreadPool(2), ThreadPool(3)};
  const std::vector<T> expected = PlainConv<T>{layer.spec, layer.in}.run();
  for (const Isa isa : fast_isas()) {
    layer.spec.isa = isa;
    const auto conv = PackedConv::make(layer.spec);
    ASSERT_NE(conv, nullptr) << name(isa) << " has no kernel for " << what;
    for (ThreadPool& pool : pools) {
      const std::vector<T> actual = run_fast(layer, *conv, pool);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(int{actual[i]}, int{expected[i]})
            << conv->path() << ", " << pool.size() << " threads, element " << i << "\n"
            << what << "\n"
            << describe(layer.spec);
      }
    }
  }
}

template <class T>
void check(const Window2D& window, bool depthwise, uint64_t seed) {
  Random random(seed);
  const TailStyle style =
      random.pick({TailStyle::ordinary, TailStyle::rectified, TailStyle::extreme});
  Layer<T> layer(window, depthwise, style, random);
  expect_equal(layer, "seed " + std::to_string(seed));
}

void check_types(const Window2D& window, bool depthwise, uint64_t seed) {
  check<int8_t>(window, depthwise, seed);
  check<uint8_t>(window, depthwise, seed + 1);
}

TEST(ConvKernels, RandomDense) {
  Random random(base_seed());
  for (uint64_t i = 0; i < 400; ++i) {
    check_types(random_window(random, false), false, base_seed() + 10 * i);
    if (HasFatalFailure()) return;
  }
}

// Sums in words of what they hold at most: equal weights that fill a group of four, three, two or
// one step to the last bit, or leave no room, times the largest inputs.
template <class T>
void check_limits(int weight, int zero_point, bool alternate) {
  Random random(base_seed());
  Window2D window = fully_connected_window(7, 70, 19);
  Layer<T> layer(window, false, TailStyle::ordinary, random);
  layer.spec.weight_zero_point = zero_point;
  for (std::size_t i = 0; i < layer.weights.size(); ++i) {
    const int sign = alternate && i % 2 != 0 ? -1 : 1;
    layer.weights[i] =
        static_cast<T>(std::clamp(zero_point + sign * weight, layer.kLow, layer.kLow + 255));
  }
  for (T& x : layer.in) x = static_cast<T>(layer.kLow + 255);
  // Results in the middle of their range, where a sum that lost something shows.
  const int input = layer.kLow + 255 - layer.spec.input_zero_point;
  for (std::size_t channel = 0; channel < 19; ++channel) {
    int sum = 0;
    for (std::size_t i = 0; i < 70; ++i) sum += layer.weights[channel * 70 + i] - zero_point;
    layer.bias[channel] = -sum * input;
  }
  layer.spec.bias = layer.bias.data();
  layer.spec.tail.output_zero_point = layer.kLow + 128;
  layer.spec.tail.act_min = layer.kLow;
  layer.spec.tail.act_max = layer.kLow + 255;
  expect_equal(layer, "weights of " + std::to_string(weight));
}

TEST(ConvKernels, WordsAtTheirLimits) {
  for (const int weight : {15, 16, 17, 21, 22, 32, 33, 64, 65, 127, 128, 135}) {
    for (const bool alternate : {false, true}) {
      for (const int sign : {-1, 1}) {
        check_limits<int8_t>(sign * weight, 0, alternate);
        check_limits<uint8_t>(sign * weight, 128, alternate);
        check_limits<uint8_t>(sign * weight, sign > 0 ? 120 : 135, alternate);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(ConvKernels, RandomDepthwise) {
  Random random(base_seed() + 1);
  for (uint64_t i = 0; i < 600; ++i) {
    check_types(random_window(random, true), true, base_seed() + 10 * i);
    if (HasFatalFailure()) return;
  }
}

// 1x1 without padding, and fully connected: every number of pixels up to more than two tiles.
TEST(ConvKernels, Pointwise) {
  for (int pixels = 1; pixels < 40; ++pixels) {
    for (const int in : {1, 3, 4, 7, 8, 16, 60, 128}) {
      for (const int out : {1, 8, 16, 17, 32, 70}) {
        const auto seed = base_seed() + static_cast<uint64_t>(pixels * 10000 + in * 100 + out);
        check_types(fully_connected_window(pixels, in, out), false, seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// The shapes of real networks, with what specialised code there is for them.
TEST(ConvKernels, CommonShapes) {
  uint64_t seed = base_seed();
  for (const int size : {4, 5, 7, 10, 14, 33}) {
    for (const int channels : {8, 16, 24, 32, 64, 72}) {
      for (const int stride : {1, 2}) {
        for (const int kernel : {3, 5, 7}) {
          check_types(same_window(size, channels, channels, kernel, stride), true, seed += 2);
          if (HasFatalFailure()) return;
        }
        check_types(same_window(size, 3, channels, 3, stride), false, seed += 2);
        check_types(same_window(size, 1, channels, 5, stride), false, seed += 2);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Windows of 3x3 that are read where they are, and those beside them that may not be: every edge
// that hangs over or does not, every number of outputs in a row of up to four groups.
TEST(ConvKernels, DepthwiseInPlace) {
  Random random(base_seed() + 2);
  for (int out_w = 1; out_w <= 14; ++out_w) {
    for (const int stride : {1, 2}) {
      for (const int pad_left : {-1, 0, 1, 2}) {
        for (const int over : {-1, 0, 1, 2}) {
          Window2D w = same_window(1, 16, 16, 3, stride);
          w.out_w = out_w;
          w.pad_left = pad_left;
          w.in_w = w.column(out_w - 1, 2) + 1 - over;
          if (w.in_w < 1) continue;
          w.in_c = w.out_c = random.pick({16, 48, 80, 512});
          w.in_h = random.between(1, 9);
          w.out_h = random.between(1, 5);
          w.stride_h = random.between(1, 3);
          w.dilation_h = random.between(1, 2);
          w.pad_top = random.between(-1, 3);
          w.batch = random.between(1, 2);
          check_types(w, true, base_seed() + static_cast<uint64_t>(random.between(0, 1 << 20)));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(ConvKernels, LongSums) {
  uint64_t seed = base_seed();
  for (const int in : {1000, 1024, 2049, 25088}) {
    for (const int rows : {1, 2, 5, 31}) {
      check_types(fully_connected_window(rows, in, 50), false, seed += 2);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ConvKernels, RefusesWhatItCannot) {
  Random random(1);
  Layer<int8_t> layer(same_window(5, 4, 4, 3, 1), false, TailStyle::ordinary, random);
  layer.spec.isa = Isa::plain;
  EXPECT_EQ(PackedConv::make(layer.spec), nullptr);
  layer.spec.isa =
      available(Isa::neon_dotprod) ? Isa::avx2 : Isa::neon_dotprod;  // of another machine
  EXPECT_EQ(PackedConv::make(layer.spec), nullptr);
  layer.spec.isa = best_isa();
  layer.spec.input_zero_point = 128;
  EXPECT_EQ(PackedConv::make(layer.spec), nullptr);
}

}  // namespace
}  // namespace edgetwin::kernels::test
