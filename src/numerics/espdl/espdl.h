// ESP-DL: powers of two. One type per numerics that a file can meet: plain C, the vector units
// of the ESP32-S3 and the ESP32-P4, and the portable code with the ESP32-P4's rounding.
#pragma once

#include "numerics/espdl/accumulate.h"
#include "numerics/espdl/elementwise.h"
#include "numerics/espdl/functions.h"
#include "numerics/espdl/reduce.h"
#include "numerics/espdl/rnn.h"
#include "numerics/espdl/softmax.h"
#include "numerics/plain/float32.h"

namespace edgetwin::numerics {

template <class U>
struct EspdlFamily {
  using Unit = U;
  using Accumulate = RuleList<espdl::Accumulate<int8_t, Unit>, espdl::Accumulate<int16_t, Unit>>;
  using Binary =
      RuleList<espdl::Binary<int8_t, Unit>, espdl::Binary<int16_t, Unit>, float32::Binary>;
  using Pool = RuleList<espdl::Pool<int8_t, Unit>, espdl::Pool<int16_t, Unit>, float32::Pool>;
  using Reduce =
      RuleList<espdl::Reduce<int8_t, Unit>, espdl::Reduce<int16_t, Unit>, espdl::ReduceF32>;
  using Unary = RuleList<espdl::Unary<int8_t, Unit>, espdl::Unary<int16_t, Unit>, espdl::UnaryF32>;
  using Softmax = RuleList<espdl::Softmax8, espdl::Softmax<int16_t>, espdl::Softmax<float>>;
  template <class In, class Out>
  using Requantize = espdl::Requantize<In, Out, Unit>;
  template <class T>
  using QuantizeFloat = espdl::QuantizeFloat<T, Unit>;
  template <class T>
  using DequantizeFloat = espdl::DequantizeFloat<T>;
};

using EspdlC = EspdlFamily<espdl::UnitC>;
using EspdlS3 = EspdlFamily<espdl::UnitS3>;
using EspdlP4 = EspdlFamily<espdl::UnitP4>;
using EspdlP4Portable = EspdlFamily<espdl::UnitP4Portable>;

}  // namespace edgetwin::numerics
