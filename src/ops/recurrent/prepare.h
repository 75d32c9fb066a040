// Layers with a state from step to step.
#pragma once

#include "ops/core/kernel.h"

namespace edgetwin::ops {

template <class F>
[[gnu::cold]] Result<Prepared> prepare_lstm(const OpContext& c);       // of TensorFlow Lite
[[gnu::cold]] Result<Prepared> prepare_chip_lstm(const OpContext& c);  // of the Edge TPU
template <class F>
[[gnu::cold]] Result<Prepared> prepare_recurrent(const OpContext& c);  // of ESP-DL: gru lstm

}  // namespace edgetwin::ops
