// A compiled model without the model that it was made from: what can be said of its parameters.
#pragma once

#include "targets/edgetpu/params/locate.h"

namespace edgetwin::edgetpu {

// A run of the blob that one instruction of the parameter program sends to tiles.
struct Segment {
  size_t blob = 0;
  size_t offset = 0, bytes = 0;
  uint32_t tiles = 0;  // mask
};
std::vector<Segment> segments(const darwinn::File& file, const std::vector<Blob>& blobs);

// The layer of a model that has one: dense, or a convolution whose sizes follow from its input,
// output and the length of its parameters. Where the order of lines cannot be told (see
// BlockShape::ordered), the layer is found, but `pieces` stays empty. No layers: the model has
// several, or of another kind.
Located locate_alone(const darwinn::File& file);

}  // namespace edgetwin::edgetpu
