// Functions of one element, SOFTMAX and RESIZE_BILINEAR on the Edge TPU.
#pragma once

#include <array>
#include <vector>

#include "numerics/flavour/edgetpu_common.h"
#include "numerics/flavour/edgetpu_table.h"
#include "numerics/flavour/tflite_functions.h"
#include "numerics/flavour/tflite_resize.h"

namespace edgetwin::numerics::edgetpu {

// From one quantization to another: (q - z) * (s_in * (1 / s_out)), limits, half to even.
template <class InType, class OutType>
struct Requantize {
  using In = InType;
  using Out = OutType;
  int32_t zero_in = 0;
  float m = 1.0F;
  Tail<Out> tail;

  static Result<Requantize> make(const UnarySpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    Requantize rule;
    rule.zero_in = zero_point(spec.in);
    rule.m = scale(spec.in) * (1.0F / scale(spec.out));
    const bool relu = tflite::is_relu(spec.kind);
    rule.tail =
        Tail<Out>::make(spec.out, relu ? tflite::relu_range(spec.kind) : RealRange{}, spec.edgetpu);
    EDGETWIN_TRY(need_finite(rule.m, "input scale * (1 / output scale)"));
    return rule;
  }
  Out operator()(In x) const { return tail(x - zero_in, m); }
};

// LOGISTIC and TANH: the input in real numbers, limited, then a table of the function in steps of
// the output.
template <class T>
struct Sigmoidal {
  bool tanh = false;
  int32_t zero_in = 0;
  float in_scale = 1.0F;
  FunctionTable table;
  Tail<T> tail;

  static Sigmoidal make(const UnarySpec& spec) {
    const bool tanh = spec.kind == UnaryKind::tanh;
    const double inverse = static_cast<double>(1.0F / scale(spec.out));
    return {tanh, zero_point(spec.in), scale(spec.in),
            tanh ? kTanhTable.times(inverse) : kLogisticTable.times(inverse / 256),
            Tail<T>::make(spec.out, {}, spec.edgetpu)};
  }
  T operator()(T q) const {
    const float limit = tanh ? kTanhLimit : kLogisticLimit;
    const float x = std::clamp(static_cast<float>(q - zero_in) * in_scale, -limit, limit);
    return tail.of_float(tanh ? odd(table, x) : table(x));
  }
};

template <class T>
struct Function8 {
  using In = T;
  using Out = T;
  UnaryKind kind{};
  Requantize<T, T> rescale;
  Sigmoidal<T> sigmoidal;

  static Result<Function8> make(const UnarySpec& spec) {
    Function8 rule;
    rule.kind = spec.kind;
    EDGETWIN_TRY_ASSIGN(rule.rescale, (Requantize<T, T>::make(spec)));
    rule.sigmoidal = Sigmoidal<T>::make(spec);
    return rule;
  }
  T operator()(T x) const { return tflite::is_relu(kind) ? rescale(x) : sigmoidal(x); }
};

// The chip's program: exponentials become integers of 16 bits before they are summed; what is
// below half of 1/65535 counts as nothing. The older compiler's scalar program keeps floats.
template <class T>
struct Softmax {
  using In = T;
  using Out = T;
  static constexpr float kLowest = -13.0381F;
  bool scalar = false;
  float m = 1.0F;  // beta * input scale
  int32_t zero_in = 0;
  using Exponentials = std::array<uint32_t, 256>;  // of the differences 0, -1, … -255
  Exponentials exponentials{}, others{};           // others: what the other reading has
  Tail<T> tail;

  static Result<Softmax> make(const SoftmaxSpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    EDGETWIN_TRY(tflite::need_output(spec.out, 1.0F / 256, -kToUnsigned<T>));
    Softmax rule;
    rule.scalar = spec.edgetpu.softmax == EdgetpuSoftmax::scalar;
    rule.m = spec.beta * scale(spec.in);
    rule.zero_in = zero_point(spec.in);
    EDGETWIN_TRY(need_finite(rule.m, "beta * input scale"));
    for (size_t d = 0; d < rule.exponentials.size(); ++d) {
      const float x = std::max(-static_cast<float>(d) * rule.m, kLowest);
      rule.exponentials[d] =
          static_cast<uint32_t>(std::nearbyint(std::exp(static_cast<double>(x)) * 65535.0));
      rule.others[d] =
          static_cast<uint32_t>(std::clamp(std::nearbyint(kExponentialTable(x)), 0.0F, 65535.0F));
    }
    if (spec.edgetpu.softmax == EdgetpuSoftmax::table) std::swap(rule.exponentials, rule.others);
    rule.tail = Tail<T>::make(spec.out, {}, spec.edgetpu);
    return rule;
  }

  void row(const In* x, int64_t n, Out* y) const {
    const int32_t largest = *std::max_element(x, x + n);
    if (scalar) return scalar_row(x, n, largest, y);
    const Probabilities here(exponentials, x, n, largest);
    const Probabilities there(others, x, n, largest);
    for (int64_t i = 0; i < n; ++i) {
      const auto d = static_cast<size_t>(largest - x[i]);
      y[i] = tail.of_float(here(d));
      if (tail.of_float(there(d)) != y[i]) EdgetpuOpen::count(tail.open->softmax);
    }
  }

 private:
  // Of one row, in steps of 1/256.
  struct Probabilities {
    const Exponentials& exponentials;
    int64_t sum = 0;
    Probabilities(const Exponentials& e, const In* x, int64_t n, int32_t largest)
        : exponentials(e) {
      for (int64_t i = 0; i < n; ++i) sum += e[static_cast<size_t>(largest - x[i])];
    }
    float operator()(size_t difference) const {
      const auto e = static_cast<double>(exponentials[difference]);
      return static_cast<float>(256.0 * e / static_cast<double>(sum));
    }
  };
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

// Weights of 7 fractional bits per axis; four products are summed and scaled once by 2^-14.
template <class T>
struct ResizeBilinear {
  using Weight = int32_t;
  using Between = tflite::Between<Weight>;

  static Between between(const tflite::ResizeAxis& a, int64_t i) {
    using Real = tflite::ResizeBilinear<float, Requantization::double_rounding>;
    const auto real = Real::between(a, i);
    Between b{real.low, real.high, 0, 0};
    b.high_weight = static_cast<int32_t>(std::nearbyint(real.high_weight * 128.0F));
    b.low_weight = 128 - b.high_weight;
    return b;
  }
  static T mix(T v00, T v10, T v01, T v11, const Between& y, const Between& x) {
    const int32_t sum = v00 * y.low_weight * x.low_weight + v10 * y.high_weight * x.low_weight +
                        v01 * y.low_weight * x.high_weight + v11 * y.high_weight * x.high_weight;
    return static_cast<T>(std::nearbyint(static_cast<float>(sum) * 0x1p-14F));
  }
};

// Inputs of a concatenation whose quantization is not the output's.
template <class T>
struct ConcatRescale {
  static Result<Requantize<T, T>> make(const Quant& in, const Quant& out,
                                       const EdgetpuOptions& options) {
    UnarySpec spec;
    spec.kind = UnaryKind::requantize;
    spec.in = in;
    spec.out = out;
    spec.edgetpu = options;
    return Requantize<T, T>::make(spec);
  }
};

}  // namespace edgetwin::numerics::edgetpu
