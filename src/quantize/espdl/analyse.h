// What quantization costs, layer by layer: the quantized network in the chip's arithmetic against
// the float network.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "quantize/calibration/noise.h"
#include "quantize/espdl/quantize.h"

namespace edgetwin::quantize {

// The arithmetic of a target in numerics/numerics.def.
std::string numerics_of(espdl::Target target);

// Errors: op_*, out_of_memory.
Result<Analysis> analyse(const Quantized& quantized, const std::vector<Sample>& samples,
                         const Settings& settings, const ProgressSink& progress = nullptr);
// The outputs alone: noise and cosine over all of them.
Result<Analysis> compare_outputs(const Quantized& quantized, const std::vector<Sample>& samples,
                                 const Settings& settings);

}  // namespace edgetwin::quantize
