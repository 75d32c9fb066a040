// The sample of a network of the MAX7800x from what users have: pictures and sound.
#pragma once

#include <optional>

#include "targets/max78/pipeline/load.h"

namespace edgetwin::twin {

// Makes sources.sample an .npy where it names a picture (PNG, JPEG, BMP: resized by nearest
// neighbour, 128 less than its pixels) or a .wav: samples from the first one on, in the order
// channel, column, row, so that neighbours lie in neighbouring channels as the vendor's data loader
// for speech has them; 128 times the sample, rounded half to even, from -128 to 127; what is
// missing is 0. "rgb565:FILE" and the other names of targets/max78/frame/pixels.def are what a
// camera sends, the middle of it, folded where the input has more channels; it stays in
// sources.frame. `note` is a warning of what was cut or added. Other samples are left alone, and
// their size must be that of sources.shape if it is given. Both need the size of the input, so that
// the network is read; where nothing states it, a picture has its own size. Errors: those of
// reading; usage where sizes differ; input_missing where the size is not known.
Status read_max78_sample(max78::NetworkSources& sources, std::optional<Finding>& note);

}  // namespace edgetwin::twin
