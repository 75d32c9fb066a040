// Layers whose scales are powers of two, made from a seed, and their definition: exact sums in 64
// bits, one product at a time, and one rounding spelled out with a remainder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "differential/kernels/random_layer.h"
#include "differential/kernels/shapes.h"
#include "kernels/core/tails.h"
#include "tensor/window.h"

namespace edgetwin::kernels::test {

// Nearest to v / 2^shift; ties upwards, or to the even neighbour.
inline int64_t nearest(int64_t v, int shift, numerics::Rounding rounding) {
  const int64_t unit = int64_t{1} << shift;
  int64_t down = v / unit;
  if (down * unit > v) --down;
  const int64_t above = v - down * unit, below = unit - above;
  if (above == below) {
    return rounding == numerics::Rounding::half_up || down % 2 != 0 ? down + 1 : down;
  }
  return above < below ? down : down + 1;
}

// How large weights are: what decides between the forms that kernels have.
enum class WeightStyle { any, small, extreme, powers };

template <class T>
struct ShiftLayer {
  static constexpr int kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();

  Window2D window;
  bool depthwise = false;
  std::vector<T> in, weights;
  std::vector<int64_t> bias;
  std::vector<int> shifts;
  ShiftTail tail;

  ShiftLayer(const Window2D& w, bool is_depthwise, Random& random)
      : window(w), depthwise(is_depthwise) {
    draw_elements(random);
    draw_tail(random);
  }
  ShiftLayer(const ShiftLayer&) = delete;

  std::size_t out_size() const {
    return static_cast<std::size_t>(window.batch * window.out_h * window.out_w * window.out_c);
  }
  int taps() const { return window.kernel_h * window.kernel_w * (depthwise ? 1 : window.in_c); }
  T weight(int o, int tap) const {
    return weights[static_cast<std::size_t>(depthwise ? tap * window.out_c + o : o * taps() + tap)];
  }

  // step(x, w) for the taps of one output that are inside, in the order of the definition.
  template <class Step>
  void for_taps(int n, int oy, int ox, int o, const Step& step) const {
    const Window2D& w = window;
    const int channels = depthwise ? 1 : w.in_c;
    const int first = depthwise ? o / (w.out_c / w.in_c) : 0;
    for (int ky = 0; ky < w.kernel_h; ++ky) {
      for (int kx = 0; kx < w.kernel_w; ++kx) {
        const int y = w.row(oy, ky), x = w.column(ox, kx);
        if (!w.inside(y, x)) continue;
        const int pixel = ((n * w.in_h + y) * w.in_w + x) * w.in_c + first;
        for (int c = 0; c < channels; ++c) {
          step(int64_t{in[static_cast<std::size_t>(pixel + c)]},
               int64_t{weight(o, (ky * w.kernel_w + kx) * channels + c)});
        }
      }
    }
  }

  // body(n, oy, ox, o) for every output.
  template <class Body>
  void for_outputs(const Body& body) const {
    for (int n = 0; n < window.batch; ++n) {
      for (int y = 0; y < window.out_h; ++y) {
        for (int x = 0; x < window.out_w; ++x) {
          for (int o = 0; o < window.out_c; ++o) body(n, y, x, o);
        }
      }
    }
  }

  T finish(int64_t sum, int o) const {
    const int64_t y = nearest(sum, tail.shift_of(o), tail.rounding);
    return static_cast<T>(std::clamp<int64_t>(y, tail.act_min, tail.act_max));
  }

  std::vector<T> expected() const {
    std::vector<T> out;
    for_outputs([&](int n, int y, int x, int o) {
      int64_t sum = bias[static_cast<std::size_t>(o)];
      for_taps(n, y, x, o, [&](int64_t a, int64_t b) { sum += a * b; });
      out.push_back(finish(sum, o));
    });
    return out;
  }

  std::string describe() const {
    return test::describe(window) + (depthwise ? " depthwise" : "") + " shift " +
           std::to_string(shifts[0]) + (shifts.size() > 1 ? "..." : "") +
           (tail.rounding == numerics::Rounding::half_up ? " half up" : " half even") + " act " +
           std::to_string(tail.act_min) + ".." + std::to_string(tail.act_max);
  }

 private:
  T draw(WeightStyle style, Random& random) {
    switch (style) {
      case WeightStyle::small:
        return static_cast<T>(random.between(-9, 9));
      case WeightStyle::extreme:
        return static_cast<T>(random.pick({kLow, kLow, kHigh, kHigh - 1, kLow + 1}));
      case WeightStyle::powers:  // many ties
        return static_cast<T>(random.pick({1, -1}) * (1 << random.between(0, 6)));
      case WeightStyle::any:
        break;
    }
    return static_cast<T>(random.between(kLow, kHigh));
  }

  void draw_elements(Random& random) {
    const auto style = random.pick({WeightStyle::any, WeightStyle::any, WeightStyle::small,
                                    WeightStyle::extreme, WeightStyle::powers});
    const auto inputs = random.pick({style, WeightStyle::any, WeightStyle::extreme});
    in.resize(static_cast<std::size_t>(window.batch * window.in_h * window.in_w * window.in_c));
    weights.resize(static_cast<std::size_t>(taps() * window.out_c));
    for (T& x : in) x = draw(inputs, random);
    for (T& w : weights) w = draw(style, random);
  }

  void draw_tail(Random& random) {
    constexpr int bits = static_cast<int>(8 * sizeof(T));
    int usual = bits - 2;
    for (int n = taps(); n > 1; n /= 4) ++usual;
    const bool wild = random.between(0, 3) == 0;
    const int channels = random.between(0, 2) == 0 ? 1 : window.out_c;
    for (int i = 0; i < channels; ++i) {
      shifts.push_back(wild ? random.between(0, 31)
                            : std::clamp(usual + random.between(-4, 4), 0, 31));
    }
    const int reach = random.pick({1, 1 << 10, 1 << 20});
    for (int o = 0; o < window.out_c; ++o) bias.push_back(random.between(-reach, reach));
    tail.shifts = shifts;
    tail.rounding = random.pick({numerics::Rounding::half_up, numerics::Rounding::half_even});
    tail.act_min = random.pick({kLow, 0, random.between(kLow, 0)});
    tail.act_max = random.pick({kHigh, random.between(1, kHigh)});
  }
};

}  // namespace edgetwin::kernels::test
