// Softmax as older compilers have it: not by the tiles but word by word in the scalar core, with
// powers of two, on what a layer before sends to it.
#pragma once

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

// Adds the layer after the one whose results leave for the scalar core, and makes it the output.
// Nothing where the program computes no powers of two; a finding where it does and the rest is not
// understood.
void add_scalar_softmax(Layers& layers, const darwinn::Executable& inference);

}  // namespace edgetwin::edgetpu
