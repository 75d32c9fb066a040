// From one quantization to another in TensorFlow Lite: QUANTIZE, float inputs, and the inputs of
// CONCATENATION. Source: kernel specification 3.7, 3.8.
#pragma once

#include <cmath>

#include "numerics/tflite/common.h"

namespace edgetwin::numerics::tflite {

// Section 3.8, integer to integer. The exchange of uint8 and int8 with equal scales (an exclusive
// or with 0x80 in the reference) is the same value: a multiplier of exactly one.
template <class InType, class OutType, Requantization R>
struct Requantize {
  using In = InType;
  using Out = OutType;
  int64_t zero_in = 0;
  int32_t zero_out = 0;
  QuantizedMultiplier m;

  static Result<Requantize> make(const UnarySpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    Requantize rule{zero_point(spec.in), zero_point(spec.out), {}};
    const double ratio = static_cast<double>(scale(spec.in)) / static_cast<double>(scale(spec.out));
    EDGETWIN_TRY_ASSIGN(rule.m, checked_multiplier(ratio, R, "input scale / output scale"));
    return rule;
  }
  Out operator()(In x) const {
    const auto centred = static_cast<int32_t>(static_cast<uint32_t>(int64_t{x} - zero_in));
    return clamp_to<Out>(int64_t{multiply_by_quantized_multiplier<R>(centred, m)} + zero_out,
                         kFullRange<Out>);
  }
};

// Section 3.8, float to integer: round(f32(x / scale)) + zero point.
template <class OutType>
struct QuantizeFloat {
  using In = float;
  using Out = OutType;
  float s = 1.0F;
  int32_t zero = 0;

  static Result<QuantizeFloat> make(const UnarySpec& spec) {
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    return QuantizeFloat{scale(spec.out), zero_point(spec.out)};
  }
  Out operator()(float x) const {
    const int32_t q = saturate_float(std::round(x / s), -(1 << 30), 1 << 30);
    return clamp_to<Out>(int64_t{q} + zero, kFullRange<Out>);
  }
};

// Section 3.7: uint8 inputs of CONCATENATION whose quantization differs from the output's.
struct ConcatRescale {
  float scale_ratio = 1.0F;
  float bias = 0.0F;
  int32_t zero_out = 0;

  static ConcatRescale make(const Quant& in, const Quant& out) {
    const float inverse = 1.0F / scale(out);
    const float ratio = scale(in) * inverse;
    return {ratio, static_cast<float>(-zero_point(in)) * ratio, zero_point(out)};
  }
  uint8_t operator()(uint8_t x) const {
    const float real = std::round(static_cast<float>(x) * scale_ratio + bias);
    return clamp_to<uint8_t>(int64_t{saturate_float(real, -(1 << 30), 1 << 30)} + zero_out,
                             kFullRange<uint8_t>);
  }
};

}  // namespace edgetwin::numerics::tflite
