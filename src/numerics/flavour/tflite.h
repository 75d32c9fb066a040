// TensorFlow Lite: affine quantization, multipliers in Q0.31. Two flavours, because the library can
// be built in two ways that differ in the last bit.
#pragma once

#include "numerics/flavour/float32.h"
#include "numerics/flavour/integer.h"
#include "numerics/flavour/tflite_accumulate.h"
#include "numerics/flavour/tflite_elementwise.h"
#include "numerics/flavour/tflite_functions.h"
#include "numerics/flavour/tflite_lstm.h"
#include "numerics/flavour/tflite_requantize.h"
#include "numerics/flavour/tflite_resize.h"
#include "numerics/flavour/tflite_softmax.h"

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
