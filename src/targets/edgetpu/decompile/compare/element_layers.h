// Operators without a window of weights as layers of a comparison: means, products with constants,
// sums with a number.
#pragma once

#include "numerics/rules.h"
#include "targets/edgetpu/decompile/compare/network.h"

namespace edgetwin::edgetpu {

// The first operand that is no constant; of TRANSPOSE_CONV the picture.
const Value& data_of(const Graph& graph, const Op& op);

// Rows or columns in front of a picture as SAME pads it; `reach`: of the window.
int padding_before(int64_t in, int64_t out, int reach, int stride);

// Different numbers of places in the means of an average pool, the largest first.
std::vector<int64_t> pool_counts(const Graph& graph, const Op& op, const NetworkLayer& layer);

// A MEAN of rows, columns or both as the pool that it is.
void take_mean(const Graph& graph, const Op& op, NetworkLayer& layer);

// A product whose kind, multiplier and zero points of both operands are known, if one is a
// constant: its bytes. One number for each channel of a picture is a depthwise layer's program.
void take_factors(const Graph& graph, const Op& op, NetworkLayer& layer);

// A sum or difference with a number: the chip adds it like a bias; how it was written is gone.
void take_number(const numerics::BinarySpec& spec, DType dtype, NetworkLayer& layer);

}  // namespace edgetwin::edgetpu
