// SOFTMAX on the Edge TPU.
#pragma once

#include <array>
#include <cstdint>

#include "numerics/edgetpu/common.h"
#include "numerics/edgetpu/table.h"
#include "numerics/tflite/functions.h"

namespace edgetwin::numerics::edgetpu {

// The steps of the chip's program. Between them are words of 16 bits: the exponentials, one over
// the root of their sum, its square. The older compiler's scalar program keeps floats.
template <class T>
struct Softmax {
  using In = T;
  using Out = T;
  using Exponentials = std::array<int32_t, 256>;  // of the differences 0, -1, … -255
  static constexpr float kLowest = -13.038098F;
  static constexpr float kPerOne = 1.0F / 65535;  // exponentials are in steps of this
  static constexpr float kLargestReciprocal = 32768.0F;
  static constexpr float kRoot = 1.0F / 46340;  // and roots of this
  static constexpr float kLast = kRoot * kRoot * 256;

  EdgetpuSoftmax kind = EdgetpuSoftmax::tensor;
  float m = 1.0F;  // beta * input scale
  int32_t zero_in = 0;
  Exponentials exponentials{};  // from the table that programs carry
  Exponentials nearest{};       // of the function itself
  Tail<T> tail;

  static Result<Softmax> make(const SoftmaxSpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    EDGETWIN_TRY(tflite::need_output(spec.out, 1.0F / 256, -kToUnsigned<T>));
    Softmax rule;
    rule.kind = spec.edgetpu.softmax;
    rule.m = spec.beta * scale(spec.in);
    rule.zero_in = zero_point(spec.in);
    EDGETWIN_TRY(need_finite(rule.m, "beta * input scale"));
    for (size_t d = 0; d < rule.exponentials.size(); ++d) {
      const float x = std::max(-static_cast<float>(d) * rule.m, kLowest);
      rule.exponentials[d] =
          static_cast<int32_t>(std::clamp(std::nearbyint(kExponentialTable(x)), 0.0F, 65535.0F));
      rule.nearest[d] =
          static_cast<int32_t>(std::nearbyint(std::exp(static_cast<double>(x)) * 65535.0));
    }
    rule.tail = Tail<T>::make(spec.out, {}, spec.edgetpu);
    return rule;
  }

  void row(const In* x, int64_t n, Out* y) const {
    const int32_t largest = *std::max_element(x, x + n);
    if (kind == EdgetpuSoftmax::scalar) return scalar_row(x, n, largest, y);
    const Whole whole = whole_of(sum(exponentials, x, n, largest), sum(nearest, x, n, largest));
    for (int64_t i = 0; i < n; ++i) y[i] = portion(whole, static_cast<size_t>(largest - x[i]));
  }

  // What all elements of a row share, from the sums of both kinds of exponentials.
  struct Whole {
    int32_t reciprocal = 0;
    double all = 0.0;
  };
  Whole whole_of(int64_t sum, int64_t sum_nearest) const {
    return {reciprocal_of(tail.in_32_bits(sum)), static_cast<double>(sum_nearest)};
  }
  // The element that is `d` below the largest.
  T portion(const Whole& whole, size_t d) const {
    const T steps = tail(int64_t{exponentials[d]} * whole.reciprocal, kLast);
    const T exact = tail.of_float(static_cast<float>(256.0 * nearest[d] / whole.all));
    if (steps != exact) EdgetpuOpen::count(tail.open->softmax);
    return kind == EdgetpuSoftmax::exact ? exact : steps;
  }

  // 32768 * 65535 / sum, in words of 16 bits: its root first, then the square.
  static int32_t reciprocal_of(int32_t sum) {
    float root = 65535.0F;  // of what wrapped
    if (sum > 0) root = inverse_root(kInverseRootTable, static_cast<float>(sum) * kPerOne);
    const auto r = static_cast<uint32_t>(std::clamp(nearest_even(root), 0.0F, 65535.0F));
    const float square = static_cast<float>(static_cast<int32_t>(r * r)) * kPerOne;
    return static_cast<int32_t>(nearest_even(std::clamp(square, 0.0F, kLargestReciprocal)));
  }

 private:
  static int64_t sum(const Exponentials& e, const In* x, int64_t n, int32_t largest) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += e[static_cast<size_t>(largest - x[i])];
    return sum;
  }
  // All in single precision, in the order of the program.
  float power(In q, float most) const {
    const float d = static_cast<float>(q - zero_in) * m - most;
    return std::exp2(d * 1.44269502F);
  }
  void scalar_row(const In* x, int64_t n, int32_t largest, Out* y) const {
    const float most = static_cast<float>(largest - zero_in) * m;
    float sum = 0.0F;
    for (int64_t i = 0; i < n; ++i) sum += power(x[i], most);
    const float r = 1.0F / sum;
    for (int64_t i = 0; i < n; ++i) {
      const float e = power(x[i], most) * r;
      y[i] = tail.of_float(e * 256.0F);
    }
  }
};

}  // namespace edgetwin::numerics::edgetpu
