// A recurrent layer's gates as numbers of a comparison.
#pragma once

#include "targets/edgetpu/decompile/compare/network.h"

namespace edgetwin::edgetpu {

// Weights, biases, multipliers and zero points of UNIDIRECTIONAL_SEQUENCE_LSTM, without the
// output's zero point. A form that has not all four gates on 8-bit integers stays without them.
void take_gates(const Graph& graph, const Op& op, NetworkLayer& layer);

}  // namespace edgetwin::edgetpu
