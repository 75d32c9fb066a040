// Size, stride and padding of a convolution whose words could be followed to their places in the
// picture.
#pragma once

#include "targets/edgetpu/decompile/sizes/sizes.h"

namespace edgetwin::edgetpu {

// Where a way to read the layer's windows was seen that is not the one in the layer, it becomes the
// layer's. False: none was seen. Kernel and input are known.
bool take_seen_window(DecompiledLayer& l);

}  // namespace edgetwin::edgetpu
