// Which channels of its producers a picture has that a layer reads as it is.
#pragma once

#include "targets/edgetpu/decompile/places/read_view.h"

namespace edgetwin::edgetpu {

// Of a view that is its producers' picture: where its pixels have fewer words than the operand, or
// more, the operand takes the channels that stand there, if they are the same at all positions.
void take_read_channels(const ReadView& view, const MadePlaces& places, Operand& operand);

}  // namespace edgetwin::edgetpu
