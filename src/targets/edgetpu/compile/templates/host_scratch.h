// The scratch memory of the host, where pictures wait that have no room on the chip.
#pragma once

#include <array>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {

// In the vendor's style a picture without borders to the scratch memory of the host, from byte
// `offset` of it on, and from there to its place again: map_output_bytes(). By two lines from
// kOutputLowest on; no tile has something to do before and after it.
void to_scratch(Program& p, const Map& map, int64_t offset);
void from_scratch(Program& p, const Map& map, int64_t offset);
// The tiles in the order in which their parts lie there: row by row from the last one on, to and
// fro. Found on DeepLab slim.
std::array<int, kTiles> scratch_order();

}  // namespace edgetwin::edgetpu::compiler
