// Two PyTorch checkpoints beside each other.
#pragma once

#include "base/bytes.h"
#include "cli/diff/arguments.h"

namespace edgetwin::cli {

// Tensors by their place in the file ("state_dict/conv1.weight"), numbers and texts too. Errors:
// those of torch::Checkpoint::read, torch_limit.
Result<int> diff_checkpoints(const DiffArguments& a, Bytes left, Bytes right, Console& console);

}  // namespace edgetwin::cli
