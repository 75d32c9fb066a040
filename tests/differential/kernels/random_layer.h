// Layers made from a seed: shapes that are multiples of nothing, every kind of zero point, and
// multipliers from ordinary to extreme.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/i8/conv.h"

namespace edgetwin::kernels::test {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int between(int low, int high) {
    const int64_t choices = int64_t{high} - low + 1;
    return static_cast<int>(low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(choices)));
  }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values
        .begin()[static_cast<std::size_t>(between(0, static_cast<int>(values.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

// How the tail of a layer is drawn.
enum class TailStyle { ordinary, rectified, extreme };

// Owns what a Conv8Spec points to.
template <class T>
struct Layer {
  Conv8Spec spec;
  std::vector<T> in, weights;
  std::vector<int32_t> bias;
  std::vector<numerics::QuantizedMultiplier> multipliers;

  static constexpr int kLow = std::is_signed_v<T> ? -128 : 0;

  Layer(const Window2D& window, bool depthwise, TailStyle style, Random& random) {
    spec.window = window;
    spec.depthwise = depthwise;
    spec.is_unsigned = !std::is_signed_v<T>;
    spec.input_zero_point = random.pick({kLow, kLow + 255, random.between(kLow, kLow + 255)});
    draw_weights(random);
    draw_tail(style, random);
    in.resize(static_cast<std::size_t>(window.batch * window.in_h * window.in_w * window.in_c));
    for (T& x : in) x = static_cast<T>(random.between(kLow, kLow + 255));
    spec.weights = weights.data();
    spec.bias = random.between(0, 4) == 0 ? nullptr : bias.data();
    spec.tail.multipliers = multipliers;
  }
  Layer(const Layer&) = delete;

  std::size_t out_size() const {
    const Window2D& w = spec.window;
    return static_cast<std::size_t>(w.batch * w.out_h * w.out_w * w.out_c);
  }

 private:
  int taps() const {
    const Window2D& w = spec.window;
    return w.kernel_h * w.kernel_w * (spec.depthwise ? 1 : w.in_c);
  }

  void draw_weights(Random& random) {
    if (!std::is_signed_v<T>) {
      spec.weight_zero_point = random.pick({0, 255, 128, random.between(0, 255)});
    } else if (random.between(0, 9) == 0) {
      spec.weight_zero_point = random.between(-128, 127);
    }
    weights.resize(static_cast<std::size_t>(taps() * spec.window.out_c));
    // Some layers have weights near their zero point, so that the differences fit a signed byte;
    // some of these a few large ones among them, as trained layers do.
    const int kind = random.between(0, 3);
    const int near = random.pick({3, 9, 30});
    for (T& w : weights) {
      const bool large = kind > 1 || (kind == 1 && random.between(0, 40) == 0);
      const int value = large ? random.pick({kLow, kLow + 255, random.between(kLow, kLow + 255)})
                              : spec.weight_zero_point + random.between(-near, near);
      w = static_cast<T>(std::clamp(value, kLow, kLow + 255));
    }
  }

  void draw_tail(TailStyle style, Random& random) {
    const bool extreme = style == TailStyle::extreme;
    const int channels = random.between(0, 2) == 0 ? 1 : spec.window.out_c;
    // Sums of n products are around 2^13 sqrt(n): bring them to some tens.
    int shift = -6;
    for (int n = taps(); n > 1; n /= 4) --shift;
    for (int i = 0; i < channels; ++i) {
      const int q = random.pick({1 << 30, INT32_MAX, random.between(1 << 30, INT32_MAX)});
      multipliers.push_back({q, extreme ? random.between(-31, 30) : shift + random.between(-2, 2)});
      if (extreme && random.between(0, 20) == 0) multipliers.back() = {0, 0};
    }
    for (int i = 0; i < spec.window.out_c; ++i) {
      bias.push_back(extreme && random.between(0, 3) == 0 ? random.between(INT32_MIN, INT32_MAX)
                                                          : random.between(-20000, 20000));
    }
    AffineTail& t = spec.tail;
    t.requantization = random.pick(
        {numerics::Requantization::double_rounding, numerics::Requantization::single_rounding});
    t.output_zero_point = random.pick({kLow, random.between(kLow, kLow + 255)});
    t.act_min = style == TailStyle::rectified
                    ? t.output_zero_point
                    : random.pick({kLow, random.between(kLow, kLow + 127)});
    t.act_max =
        random.pick({kLow + 255, random.between(std::max(t.act_min, kLow + 128), kLow + 255)});
  }
};

inline std::string describe(const Conv8Spec& s) {
  const Window2D& w = s.window;
  const auto pair = [](int a, int b) { return std::to_string(a) + "x" + std::to_string(b); };
  return std::string(s.is_unsigned ? "uint8 " : "int8 ") + (s.depthwise ? "depthwise " : "") +
         "batch " + std::to_string(w.batch) + " in " + pair(w.in_h, w.in_w) + "x" +
         std::to_string(w.in_c) + " out " + pair(w.out_h, w.out_w) + "x" + std::to_string(w.out_c) +
         " kernel " + pair(w.kernel_h, w.kernel_w) + " stride " + pair(w.stride_h, w.stride_w) +
         " dilation " + pair(w.dilation_h, w.dilation_w) + " pad " + pair(w.pad_top, w.pad_left) +
         " zero points " + std::to_string(s.input_zero_point) + ", " +
         std::to_string(s.weight_zero_point) + ", " + std::to_string(s.tail.output_zero_point) +
         " act " + std::to_string(s.tail.act_min) + ".." + std::to_string(s.tail.act_max) +
         (s.tail.requantization == numerics::Requantization::double_rounding ? " double"
                                                                             : " single");
}

}  // namespace edgetwin::kernels::test
