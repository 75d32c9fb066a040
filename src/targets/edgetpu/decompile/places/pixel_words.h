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

}  // namespace edgetwin::edgetpu
