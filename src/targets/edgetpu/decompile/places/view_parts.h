// A view as parts of pictures.
#pragma once

#include "targets/edgetpu/decompile/places/read_view.h"

namespace edgetwin::edgetpu {

// Parts side by side in channels, with constants that are the producers' zero point. Nothing: some
// words were not read, are other constants, or are pieces of no form.
std::optional<Operand> parts_of_view(const LayerSearch& search, const ReadView& view,
                                     const MadePlaces& places);

}  // namespace edgetwin::edgetpu
