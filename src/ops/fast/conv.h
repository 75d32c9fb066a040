// Where a fast kernel may stand in for the plain walk: the rule's sums are exact in any order and
// its finish is one that the kernels have. New numerics whose finish the kernels learn adds one
// overload of make_fast_conv.
#pragma once

#include "numerics/edgetpu/accumulate.h"
#include "numerics/tflite/accumulate.h"
#include "ops/core/kernel.h"
#include "tensor/window.h"

namespace edgetwin::ops {

// The integers of a rule with 8-bit operands and a Q0.31 multiplier.
struct Affine8 {
  bool is_unsigned = false;
  int32_t input_zero_point = 0, weight_zero_point = 0, output_zero_point = 0;
  int32_t act_min = 0, act_max = 0;
  const std::vector<int32_t>* bias = nullptr;
  const std::vector<numerics::QuantizedMultiplier>* multipliers = nullptr;
  numerics::Requantization requantization{};
};

// Fills run, scratch_bytes and path of `prepared` and returns true if a kernel takes the layer.
// The filter must be constant operand 1.
bool make_fast_affine8(const OpContext& c, const Affine8& rule, const Window2D& window,
                       bool depthwise, Prepared& prepared);

template <class T, numerics::Requantization R>
bool make_fast_conv(const OpContext& c, const numerics::tflite::Accumulate8<T, R>& rule,
                    const Window2D& window, bool depthwise, Prepared& prepared) {
  const Affine8 affine{.is_unsigned = std::is_unsigned_v<T>,
                       .input_zero_point = -rule.input_offset,
                       .weight_zero_point = -rule.weight_offset,
                       .output_zero_point = rule.output_zero_point,
                       .act_min = rule.range.low,
                       .act_max = rule.range.high,
                       .bias = &rule.bias,
                       .multipliers = &rule.multipliers,
                       .requantization = rule.requantization};
  return make_fast_affine8(c, affine, window, depthwise, prepared);
}

// The same for the Edge TPU's float product.
struct Product8 {
  bool is_unsigned = false;
  int32_t input_zero_point = 0, weight_zero_point = 0, output_zero_point = 0;
  numerics::edgetpu::Clamp clamp;
  numerics::EdgetpuOptions options;
  const std::vector<int32_t>* bias = nullptr;
  const std::vector<float>* multipliers = nullptr;
  std::shared_ptr<numerics::EdgetpuOpen> open;
};

bool make_fast_product8(const OpContext& c, const Product8& rule, const Window2D& window,
                        bool depthwise, Prepared& prepared);

template <class T>
bool make_fast_conv(const OpContext& c, const numerics::edgetpu::Accumulate<T>& rule,
                    const Window2D& window, bool depthwise, Prepared& prepared) {
  const auto& zeros = rule.weight_zero_points;
  for (const int32_t zero : zeros) {
    if (zero != zeros[0]) return false;
  }
  return make_fast_product8(
      c,
      {.is_unsigned = std::is_unsigned_v<T>,
       .input_zero_point = rule.input_zero_point,
       .weight_zero_point = zeros[0],
       .output_zero_point = rule.tail.zero - numerics::edgetpu::kToUnsigned<T>,
       .clamp = rule.tail.clamp,
       .options = rule.tail.options,
       .bias = &rule.bias,
       .multipliers = &rule.multipliers,
       .open = rule.tail.open},
      window, depthwise, prepared);
}

// Every other rule runs plain.
template <class Rule>
bool make_fast_conv(const OpContext&, const Rule&, const Window2D&, bool, Prepared&) {
  return false;
}

}  // namespace edgetwin::ops
