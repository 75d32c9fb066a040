// TRANSPOSE_CONV as the convolutions that a program computes: outputs a stride apart have the same
// taps, and their results take turns.
#pragma once

#include "targets/edgetpu/decompile/compare/network.h"

namespace edgetwin::edgetpu {

// `whole`: with weights, and the sizes of input and output. One convolution for each first
// position, row after row. An output at stride * q + first reads the inputs q + c - j of the taps
// tap + stride * j, where first + padding = stride * c + tap: a window of every stride-th tap, the
// last one first. Empty: some output has no tap, or reads nothing of the first positions.
std::vector<NetworkLayer> transposed_parts(const NetworkLayer& whole, const TransposeConvAttrs& a);

}  // namespace edgetwin::edgetpu
