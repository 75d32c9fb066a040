// Layers with weights that are the same program, whatever they are called: convolutions, depthwise
// and fully connected ones of one output position, or of one word of channels.
#pragma once

#include "targets/edgetpu/decompile/compare/network.h"

namespace edgetwin::edgetpu {

// A depthwise layer of one word of channels, or of several outputs for each channel, as the
// convolution that it is: zero points where an output does not read a channel. Other layers stay as
// they are.
void as_whole_word(NetworkLayer& layer);

// As one row of weights for each output, over all positions of the input; they are zero points
// where the output reads nothing. Other layers stay as they are.
void as_one_row(NetworkLayer& layer);

}  // namespace edgetwin::edgetpu
