// What goes over the wire of an executable, as the row of its announced transfers: one stream in,
// one out, one of parameters.
#pragma once

#include <vector>

#include "formats/darwinn/darwinn.h"

namespace edgetwin::edgetpu {

// Of the stream that goes in.
struct InputBytes {
  size_t all = 0, scratch = 0;
};
InputBytes input_bytes(const darwinn::Executable& e);

// The parameters of the file with what came in their place.
Bytes parameters_of(const darwinn::Executable& e, ByteSpan stream);
// The layers of the inputs as they arrived, each with its padding.
std::vector<Bytes> inputs_of(const darwinn::Executable& e, ByteSpan stream);
// All output transfers one after the other, from tiled layers; scratch memory is zero.
Bytes output_stream(const darwinn::Executable& e, const std::vector<Bytes>& layers);

}  // namespace edgetwin::edgetpu
