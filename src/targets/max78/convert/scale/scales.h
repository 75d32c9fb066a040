// Exponents of tensors, integers of weights and biases.
#pragma once

#include "base/progress.h"
#include "targets/max78/convert/scale/calibration.h"

namespace edgetwin::max78 {

// Exponents of tensors, integers of weights and biases. Errors: as convert.
Status set_scales(Draft& draft, const Graph& graph, const std::vector<quantize::Sample>& samples,
                  const ConvertSettings& settings, const ProgressSink& progress);

// Its last step: integers of weights and biases, when the tensors have their exponents.
void make_integers(Draft& draft, const Calibration& calibration, const ConvertSettings& settings);

}  // namespace edgetwin::max78
