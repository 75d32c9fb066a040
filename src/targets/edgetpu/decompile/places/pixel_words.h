// Whose channels the words of a pixel are.
#pragma once

#include <optional>

#include "targets/edgetpu/decompile/places/read_view.h"

namespace edgetwin::edgetpu {

// Of a view that is its producers' picture as it is: their channels side by side. Nothing: other
// positions have other words.
std::optional<Operand> side_by_side(const ReadView& view, const MadePlaces& places);

// Of a pixel of the operand, each producer's channels padded to words.
int words_of(const Operand& operand, const MadePlaces& places);

// Of a view that is its producers' picture: where its pixels have fewer words than the operand, or
// more, the operand takes the channels that stand there, if they are the same at all positions.
void take_read_channels(const ReadView& view, const MadePlaces& places, Operand& operand);

}  // namespace edgetwin::edgetpu
