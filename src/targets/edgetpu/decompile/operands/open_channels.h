// The last channels of what a matrix of zeros and ones makes: real 0, or nothing but the rest of a
// word. Who multiplies them by weights of his own tells.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// Before its size is known, the layer takes all channels that its producer may have. Returns those
// that it has for certain; 0: it reads no such producer.
int take_open_channels(const LayerSearch& search, DecompiledLayer& layer);

// When its parameters are known: channels without any weight, after the certain ones, are none. Its
// producer gets those that are there. `certain`: what take_open_channels() returned.
void close_channels(LayerSearch& search, DecompiledLayer& layer, int certain);

}  // namespace edgetwin::edgetpu
