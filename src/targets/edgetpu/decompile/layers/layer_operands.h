// What a layer reads: its operands, their sizes, and constants that the program holds itself.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// Fills `inputs`, and whether a product is one with a constant. False: nobody is known who wrote
// the first.
bool find_operands(LayerSearch& search, DecompiledLayer& layer);

// The constant of a product. It has the rows of the operand as the layer reads it.
void read_constant(const LayerSearch& search, DecompiledLayer& layer);

// The picture of an operand, with the channels of all that stand side by side.
Extent2D extent_of(const LayerSearch& search, const Operand& operand);

// Channels of the producers of the first operand, one after the other.
std::vector<int> parts_of(const LayerSearch& search, const DecompiledLayer& layer);

}  // namespace edgetwin::edgetpu
