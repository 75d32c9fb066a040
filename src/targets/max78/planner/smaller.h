// A network with less in it, to see whether that fits. The numbers that stay are a part of those
// that were there: they are good for planning, not for use.
#pragma once

#include "targets/max78/network/resolved.h"

namespace edgetwin::max78 {

struct SmallerNetwork {
  ai8x::Network network;
  ai8x::Parameters parameters;
  SampleShape sample;
};

// Layer `layer` with `channels` outputs, and those who read it. False: something that reads it
// needs all of them (sums, channels side by side), or it is an output.
bool reduce_channels(SmallerNetwork& n, int layer, int channels);
// The first layer reads the input with 2x2 pixels as four times the channels.
bool fold_input(SmallerNetwork& n, int first);
// Weights of 4 bits. False: the layer has none, or not 8 bits.
bool narrow_weights(SmallerNetwork& n, int layer);

}  // namespace edgetwin::max78
