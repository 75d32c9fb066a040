// Layers with weights written as convolutions: their filters, biases and padding.
#pragma once

#include "targets/edgetpu/decompile/write/graph_rewrite.h"

namespace edgetwin::edgetpu {

ValueId write_weighted(GraphRewrite& r, size_t l, const DecompiledLayer& layer, ValueId in,
                       const Quant& q);

// The layer's biases, with the scales of its weights times that of `in`.
ValueId add_bias(GraphRewrite& r, size_t l, const DecompiledLayer& layer, ValueId in);

}  // namespace edgetwin::edgetpu
