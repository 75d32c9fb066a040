// A compiled model up to what its compiled operators send to the host: what can be compared where
// an operator after them is not computed here.
#pragma once

#include <string>
#include <vector>

#include "twin/load.h"

namespace edgetwin::twin {

// The model without the operators after its last compiled one; what the compiled operators send
// are its outputs. Null model: it has no compiled operator.
LoadedModel device_part(const LoadedModel& compiled);

// The operators of `network` that the tensors of these names need, with these as outputs. Error:
// usage, for a name that it does not have.
Result<LoadedModel> part_with_outputs(const LoadedModel& network,
                                      const std::vector<std::string>& names);

std::vector<std::string> output_names(const LoadedModel& network);

}  // namespace edgetwin::twin
