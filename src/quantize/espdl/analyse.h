// What quantization costs, layer by layer: the quantized network in the chip's arithmetic against
// the float network.
#pragma once

#include <functional>
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
// The layers of which `mine` is true, with their numbers, and how many there are: for processes
// that share them out. Noise of the outputs is that of the whole network.
struct AnalysisShare {
  size_t layers = 0;
  std::vector<size_t> numbers;  // of analysis.layers
  Analysis analysis;
};
Result<AnalysisShare> analyse_share(const Quantized& quantized, const std::vector<Sample>& samples,
                                    const Settings& settings,
                                    const std::function<bool(size_t)>& mine);
// The outputs alone: noise and cosine over all of them.
Result<Analysis> compare_outputs(const Quantized& quantized, const std::vector<Sample>& samples,
                                 const Settings& settings);

}  // namespace edgetwin::quantize
