// Tensors of the quantized network as float values in the float network's order of axes, and back.
#pragma once

#include "exec/session.h"
#include "quantize/espdl/quantize.h"

namespace edgetwin::quantize {

// The content of value `id` of the quantized graph, real and unpermuted.
std::vector<float> real_values(const Quantized& quantized, const exec::Session& session,
                               const Graph& graph, ValueId in_session, ValueId id);
// Float values in the float network's order as the bytes of value `id`.
Bytes integer_values(const Quantized& quantized, std::span<const float> values, ValueId id,
                     espdl::Target target);

}  // namespace edgetwin::quantize
