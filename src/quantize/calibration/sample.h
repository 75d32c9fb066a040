// Calibration data of a network.
#pragma once

#include <vector>

#include "base/finding.h"
#include "base/result.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace edgetwin::quantize {

// One tensor per graph input, float32, in the order and layout of the graph.
using Sample = std::vector<Tensor>;

// One sample at least, each with the types and shapes of the graph's inputs, all values finite. A
// single sample is a finding. Errors: quant_calibration, quant_not_finite.
Status check_samples(const Graph& graph, const std::vector<Sample>& samples,
                     std::vector<Finding>& findings);

}  // namespace edgetwin::quantize
