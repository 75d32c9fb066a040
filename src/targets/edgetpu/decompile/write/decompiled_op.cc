#include "targets/edgetpu/decompile/write/decompiled_op.h"

#include <algorithm>

namespace edgetwin::edgetpu {

bool DecompiledOp::complete() const { return recovered() == layers.layers.size(); }

size_t DecompiledOp::recovered() const {
  return static_cast<size_t>(
      std::count_if(layers.layers.begin(), layers.layers.end(),
                    [](const DecompiledLayer& l) { return l.problem.empty(); }));
}

}  // namespace edgetwin::edgetpu
