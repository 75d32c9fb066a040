// Runs the network in float over the samples and gives every config that decides for itself a range
// and an exponent.
#pragma once

#include "quantize/net.h"
#include "quantize/quantize.h"

namespace edgetwin::quantize {

// Errors: quant_calibration, quant_not_finite, op_*.
Status check_samples(const Graph& graph, const std::vector<Sample>& samples,
                     std::vector<Finding>& findings);
Status calibrate(Net& net, const std::vector<Sample>& samples, const ProgressSink& progress);

}  // namespace edgetwin::quantize
