// The stages that make a softmax together: from the maximum, or the copies before it, to the last
// scaling.
#pragma once

#include <map>

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

struct SoftmaxStages {
  std::map<size_t, size_t> last_of;          // by stage of a softmax: the last one
  std::map<size_t, DecompiledLayer> layers;  // by its last stage
};

SoftmaxStages find_softmax(const LayerSearch& search);

}  // namespace edgetwin::edgetpu
