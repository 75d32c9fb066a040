// Forward and backward passes of the single layers in float. Weights are stored as the inner loops
// want them: [tap][input channel][output channel], for depthwise [tap][channel].
#pragma once

#include <vector>

#include "topology.h"

namespace edgetwin::digits {

// The tensors of one picture, or their gradients: index 0 is the picture, index i + 1 the output of
// layer i.
using Tensors = std::vector<std::vector<float>>;

struct Parameters {
  std::vector<float> weight;
  std::vector<float> bias;
};

// The exponential function from + and * alone, for the same bits everywhere; x in [-700, 700].
double exact_exp(double x);

void layer_forward(const Layer& layer, const Parameters& parameters, const Tensors& tensors,
                   std::vector<float>& out);

// Adds to the gradients of the inputs and of the parameters; `out_gradient` is changed (the
// activation's derivative is multiplied in). The softmax has no backward pass of its own: training
// starts at the logits.
void layer_backward(const Layer& layer, const Parameters& parameters, const Tensors& tensors,
                    const std::vector<float>& out, std::vector<float>& out_gradient,
                    Tensors& gradients, Parameters& parameter_gradients);

}  // namespace edgetwin::digits
