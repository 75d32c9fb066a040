// GRU and LSTM of ONNX networks in float32.
#pragma once

#include "ops/kernel.h"

namespace edgetwin::ops::onnx {

Result<Prepared> prepare_recurrent(const OpContext& c);

}  // namespace edgetwin::ops::onnx
