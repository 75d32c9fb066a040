// The steps between a network and its exponents, in the order in which quantize_espdl takes them.
// Each is a file of its own and has a switch in Passes.
#pragma once

#include <vector>

#include "quantize/calibration/sample.h"
#include "quantize/espdl/plan/plan.h"

namespace edgetwin::quantize {

// Decide which operands share an exponent, before calibration.
void fuse_activations(Plan& plan);  // activation.cc
void share_passive(Plan& plan);     // passive.cc
void join_producers(Plan& plan);    // passive.cc: producer and consumer of one width agree

// parameters.cc: exponents of weights and other parameters.
Status quantize_parameters(Plan& plan);
// The network with its parameters rounded to their integers: what calibration sees.
Graph with_rounded_parameters(const Plan& plan);

// After calibration.
void align_operands(Plan& plan);  // alignment.cc
void raise_shifts(Plan& plan);    // shifts.cc: no negative shift of Conv, Gemm, MatMul, Mul
// parameters.cc: scales of biases and of limits, which follow their operator's input.
Status quantize_biases(Plan& plan);
// bias.cc: what rounding the weights adds to the mean of every channel is taken off the bias.
// A network of its own with the new biases.
Result<Graph> correct_biases(const Plan& plan, const std::vector<Sample>& samples);

}  // namespace edgetwin::quantize
