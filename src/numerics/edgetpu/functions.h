// Functions of one element and RESIZE_BILINEAR on the Edge TPU.
#pragma once

#include "numerics/edgetpu/common.h"
#include "numerics/edgetpu/table.h"
#include "numerics/tflite/functions.h"
#include "numerics/tflite/resize.h"

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
