// The whole set of a family: one function that chooses among those of the other rooms.
#pragma once

#include "ops/core/kernel.h"

namespace edgetwin::ops {

template <class F>
Result<Prepared> prepare_tflite(const OpContext& c);
template <class F>
Result<Prepared> prepare_espdl(const OpContext& c);
template <class F>
Result<Prepared> prepare_onnx(const OpContext& c);
template <class F>
Result<Prepared> prepare_edgetpu(const OpContext& c);

}  // namespace edgetwin::ops
