// Outputs of a network that no Runner computed, in the words of decode_outputs().
#pragma once

#include <span>
#include <vector>

#include "edgetwin/decode.h"
#include "twin/runners.h"

namespace edgetwin::twin {

// `ports` are the network's inputs. Errors: those of decode_outputs.
Result<Decoded> decode_tensors(const std::vector<Tensor>& outputs, std::span<const Port> ports,
                               const DecoderView& view, const Inputs& inputs,
                               const DecodeOptions& options);

}  // namespace edgetwin::twin
