// The size of a layer's output, its padding and its stride: what the traversals leave open is
// settled by the number of positions that all tiles compute together.
#pragma once

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

struct SizeContext {
  const Replay& replay;
  const std::vector<Stage>& stages;
  std::vector<Extent2D> announced;  // outputs of the executable, if this layer is one
};

// Needs `in`, `steps`, `numbers`. Where it fails, `problem` says why.
void find_size(DecompiledLayer& layer, const SizeContext& context);

}  // namespace edgetwin::edgetpu
