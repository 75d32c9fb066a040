// The steps between a network and its exponents, in the order in which quantize_espdl takes them.
// Each is a file of its own and has a switch in Passes.
#pragma once

#include <vector>

#include "quantize/net.h"

namespace edgetwin::quantize {

// Rewrite the network, before anything is measured.
// pass_equalize.cc: scales channels between two layers with weights so that their ranges agree.
void equalize(Graph& graph, int rounds, std::vector<Finding>& findings);

// Say who shares an exponent, before calibration.
void fuse_activations(Net& net);  // pass_activation.cc
void share_passive(Net& net);     // pass_passive.cc
void join_producers(Net& net);    // pass_passive.cc: producer and consumer of one width agree

// pass_parameters.cc: exponents of weights and other parameters.
Status quantize_parameters(Net& net);
// The network with its parameters rounded to their integers: what calibration sees.
Graph with_rounded_parameters(const Net& net);

// After calibration.
void align_operands(Net& net);  // pass_alignment.cc
void raise_shifts(Net& net);    // pass_shifts.cc: no negative shift of Conv, Gemm, MatMul, Mul
// pass_parameters.cc: scales of biases and of limits, which follow their operator's input.
Status quantize_biases(Net& net);
// pass_bias.cc: what rounding the weights adds to the mean of every channel is taken off the bias.
// A network of its own with the new biases.
Result<Graph> correct_biases(const Net& net, const std::vector<Sample>& samples);

}  // namespace edgetwin::quantize
