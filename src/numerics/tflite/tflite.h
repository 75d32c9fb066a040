// TensorFlow Lite: affine quantization, multipliers in Q0.31. Two types, because the library can
// be built in two ways that differ in the last bit.
#pragma once

#include "numerics/plain/float32.h"
#include "numerics/plain/integer.h"
#include "numerics/tflite/accumulate.h"
#include "numerics/tflite/elementwise.h"
#include "numerics/tflite/functions.h"
#include "numerics/tflite/lstm.h"
#include "numerics/tflite/requantize.h"
#include "numerics/tflite/resize.h"
#include "numerics/tflite/softmax.h"

namespace edgetwin::numerics {

template <Requantization R>
struct TfliteFamily {
  static constexpr Requantization kRequantization = R;

  using Accumulate = RuleList<tflite::Accumulate8<uint8_t, R>, tflite::Accumulate8<int8_t, R>,
                              tflite::Accumulate16x8<int64_t, R>,
                              tflite::Accumulate16x8<int32_t, R>, float32::Accumulate>;
  using Binary =
      RuleList<tflite::Binary<uint8_t, R>, tflite::Binary<int8_t, R>, tflite::Binary<int16_t, R>,
               float32::Binary, integer::Binary<int32_t>, integer::Binary<int64_t>>;
  using Pool =
      RuleList<tflite::Pool<uint8_t>, tflite::Pool<int8_t>, tflite::Pool<int16_t>, float32::Pool>;
  using Reduce = RuleList<tflite::Reduce<uint8_t, R>, tflite::Reduce<int8_t, R>,
                          tflite::Reduce<int16_t, R>, float32::Reduce>;
  using Unary = RuleList<tflite::Function8<uint8_t, R>, tflite::Function8<int8_t, R>,
                         tflite::Function16<R>, float32::Unary>;
  using Softmax = RuleList<tflite::Softmax<uint8_t, uint8_t, R>, tflite::Softmax<int8_t, int8_t, R>,
                           tflite::Softmax<int8_t, int16_t, R>, float32::Softmax>;
  using L2Normalization =
      RuleList<tflite::L2Normalization<uint8_t, R>, tflite::L2Normalization<int8_t, R>>;
  template <class In, class Out>
  using Requantize = tflite::Requantize<In, Out, R>;
  template <class T>
  using ResizeBilinear = tflite::ResizeBilinear<T, R>;
  using Lstm = tflite::Lstm<R>;
};

using Tflite = TfliteFamily<Requantization::double_rounding>;
using TfliteSingle = TfliteFamily<Requantization::single_rounding>;

}  // namespace edgetwin::numerics
