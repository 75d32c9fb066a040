// Arrays that users give, in the numbers of a layer.
#pragma once

#include "targets/edgetpu/params/patch.h"

namespace edgetwin::edgetpu {

// What a layer will hold.
struct NewNumbers {
  BlockContent content;              // scales as they stand in the blob
  std::vector<float> weight_scales;  // one, or one per output channel
  bool new_scales = false, new_bias = false, rescaled_bias = false;
  int64_t limited = 0;
};

// `old` is what the layer holds. Errors: params_array, params_template.
Result<NewNumbers> new_numbers(const ReferenceLayer& layer, const Piece& piece,
                               const BlockContent& old, const LayerPatch& wanted);

}  // namespace edgetwin::edgetpu
