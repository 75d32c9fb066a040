// RESIZE_BILINEAR of TensorFlow Lite: integers for int8 and int16, single precision for uint8 and
// float. Source: kernel specification 3.10.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "numerics/fixed_point.h"

namespace edgetwin::numerics::tflite {

struct ResizeAxis {
  int64_t in = 1, out = 1;
  bool align_corners = false, half_pixel_centers = false;
};

// Where one output index lies between two input indices. `low_weight` + `high_weight` is one: 2^10
// in integers.
template <class Weight>
struct Between {
  int64_t low = 0, high = 0;
  Weight low_weight{}, high_weight{};
};

template <class T, Requantization R>
struct ResizeBilinear {
  static constexpr bool kInteger = std::is_same_v<T, int8_t> || std::is_same_v<T, int16_t>;
  using Weight = std::conditional_t<kInteger, int64_t, float>;

  static Between<Weight> between(const ResizeAxis& a, int64_t i) {
    if constexpr (kInteger) {
      return between_integer(a, i);
    } else {
      return between_float(a, i);
    }
  }

  // Corners in the order of the sum: low row low column, high row low column, low row high column,
  // high row high column.
  static T mix(T v00, T v10, T v01, T v11, const Between<Weight>& y, const Between<Weight>& x) {
    const auto term = [](T v, Weight a, Weight b) { return static_cast<Weight>(v) * a * b; };
    const Weight sum =
        term(v00, y.low_weight, x.low_weight) + term(v10, y.high_weight, x.low_weight) +
        term(v01, y.low_weight, x.high_weight) + term(v11, y.high_weight, x.high_weight);
    if constexpr (std::is_same_v<T, float>) {
      return sum;
    } else if constexpr (kInteger) {
      return round_integer(sum);
    } else {
      return static_cast<T>(saturate_float(sum + 0.5F, 0, 255));
    }
  }

 private:
  static T round_integer(int64_t sum) {
    if constexpr (R == Requantization::single_rounding) {
      return static_cast<T>((sum + (1 << 19)) >> 20);
    } else {
      return static_cast<T>((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
    }
  }

  static Between<Weight> between_integer(const ResizeAxis& a, int64_t i) {
    int64_t step = ((a.in << 10) + a.out / 2) / a.out;
    if (a.align_corners && a.out > 1) {
      step = (((a.in - 1) << 10) + (a.out - 1) / 2) / (a.out - 1);
    }
    const int64_t position = a.half_pixel_centers ? i * step + step / 2 - (1 << 9) : i * step;
    Between<Weight> b;
    b.low = std::clamp<int64_t>(position / 1024, 0, a.in - 1);
    b.high = std::clamp<int64_t>((position + 1023) / 1024, 0, a.in - 1);
    b.high_weight = static_cast<Weight>(position - 1024 * b.low);
    b.low_weight = 1024 - b.high_weight;
    return b;
  }

  static Between<Weight> between_float(const ResizeAxis& a, int64_t i) {
    float step = static_cast<float>(a.in) / static_cast<float>(a.out);
    if (a.align_corners && a.out > 1) {
      step = static_cast<float>(a.in - 1) / static_cast<float>(a.out - 1);
    }
    const float index = static_cast<float>(i);
    const float position = a.half_pixel_centers ? (index + 0.5F) * step - 0.5F : index * step;
    Between<Weight> b;
    b.low = std::clamp<int64_t>(static_cast<int64_t>(std::floor(position)), 0, a.in - 1);
    b.high = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(position)), 0, a.in - 1);
    b.high_weight = static_cast<Weight>(position - static_cast<float>(b.low));
    b.low_weight = static_cast<Weight>(1.0F - (position - static_cast<float>(b.low)));
    return b;
  }
};

}  // namespace edgetwin::numerics::tflite
