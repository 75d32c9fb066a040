// Runs the network in float over the samples and gives every operand that decides for itself a
// range and an exponent.
#pragma once

#include "base/progress.h"
#include "quantize/calibration/sample.h"
#include "quantize/espdl/plan/plan.h"

namespace edgetwin::quantize {

// Errors: quant_calibration, quant_not_finite, op_*.
Status calibrate(Plan& plan, const std::vector<Sample>& samples, const ProgressSink& progress);

}  // namespace edgetwin::quantize
