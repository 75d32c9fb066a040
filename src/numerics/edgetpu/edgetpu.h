// The Edge TPU's own arithmetic: integer sums, one product in single precision, float limits, half
// to even. Its 8-bit operators only; what runs on the host is TensorFlow Lite's.
#pragma once

#include "numerics/edgetpu/accumulate.h"
#include "numerics/edgetpu/elementwise.h"
#include "numerics/edgetpu/functions.h"
#include "numerics/edgetpu/lstm.h"
#include "numerics/edgetpu/softmax.h"

namespace edgetwin::numerics {

struct Edgetpu {
  static constexpr bool kEdgetpu = true;
  using Accumulate = RuleList<edgetpu::Accumulate<uint8_t>, edgetpu::Accumulate<int8_t>>;
  using Binary = RuleList<edgetpu::Binary<uint8_t>, edgetpu::Binary<int8_t>>;
  using Pool = RuleList<edgetpu::Pool<uint8_t>, edgetpu::Pool<int8_t>>;
  using Reduce = RuleList<edgetpu::Reduce<uint8_t>, edgetpu::Reduce<int8_t>>;
  using Unary = RuleList<edgetpu::Function8<uint8_t>, edgetpu::Function8<int8_t>>;
  using Softmax = RuleList<edgetpu::Softmax<uint8_t>, edgetpu::Softmax<int8_t>>;
  template <class In, class Out>
  using Requantize = edgetpu::Requantize<In, Out>;
  template <class T>
  using ResizeBilinear = edgetpu::ResizeBilinear<T>;
  using Lstm = edgetpu::Lstm;
};

}  // namespace edgetwin::numerics
