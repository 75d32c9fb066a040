// The makers of steps by kind of operator; null where a kind is not theirs.
#pragma once

#include "train/tape/step.h"

namespace edgetwin::train {

using MadeStep = std::unique_ptr<Step>;

MadeStep make_unary(const Graph& graph, const Op& op);   // elements.cc
MadeStep make_binary(const Graph& graph, const Op& op);  // pairs.cc
MadeStep make_sum(const Graph& graph, const Op& op);     // sums.cc: Conv, Gemm, MatMul
MadeStep make_pool(const Graph& graph, const Op& op);    // pools.cc
MadeStep make_rows(const Graph& graph, const Op& op);    // rows.cc: reductions, norms, softmax
MadeStep make_resize(const Graph& graph, const Op& op);  // resize.cc: linear alone
Result<MadeStep> make_movement(const Graph& graph, const Op& op, size_t output);  // movement.cc
bool is_movement(const Op& op);

// The only number of a constant in float32; `otherwise` where there is none.
double number_of(const Graph& graph, const Op& op, size_t operand, double otherwise);

}  // namespace edgetwin::train
