// Where the parameters of a layer are that no load names.
#pragma once

#include "targets/edgetpu/decompile/layers/parameters.h"

namespace edgetwin::edgetpu {

// Bytes of whole lines of 64.
size_t padded_bytes(const BlockShape& shape);

// The resident blocks whose lines the layer's own weight addresses name, one for every active tile.
// What is found goes into the layer and into `used`, as indices of resident blocks.
bool find_named(DecompiledLayer& l, const ParameterContext& context, std::vector<size_t>& used);

// Resident blocks of a layer that is spread over tiles: one for every active tile, ascending.
bool find_spread(DecompiledLayer& l, const ParameterContext& context, std::vector<size_t>& used);

// From the layer's first byte to the end of what the file has; empty: not there. The layer has
// blocks.
ByteSpan bytes_of(const DecompiledLayer& l, const ParameterContext& context);

}  // namespace edgetwin::edgetpu
