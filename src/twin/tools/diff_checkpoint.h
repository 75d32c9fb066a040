// Checkpoints of training, side by side.
#pragma once

#include "edgetwin/diff.h"

namespace edgetwin::twin {

// Tensors by place ("state_dict/conv1.weight"), all other values as lines. Errors: torch_*.
Result<FileDifference> diff_checkpoints(Bytes a, const std::string& a_name, Bytes b,
                                        const std::string& b_name, double tolerance);

}  // namespace edgetwin::twin
