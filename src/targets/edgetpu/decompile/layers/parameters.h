// The parameters of a layer: which blocks, of which form, and their numbers.
#pragma once

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

struct ParameterContext {
  // Channels of the producers of the first operand, one after the other.
  std::vector<int> parts;
  const darwinn::Executable& inference;
  const darwinn::Executable* caching;
  const Resident& resident;
  const Replay& replay;
  bool fills = true;  // rows of zeros of a matrix are channels of real 0
};

// Fills `shape`, `content` and the real number of outputs; where it fails, `problem`. `used` are
// the resident blocks that earlier layers took without an instruction that loads them.
void read_parameters(DecompiledLayer& layer, const ParameterContext& context,
                     std::vector<size_t>& used);

}  // namespace edgetwin::edgetpu
