// Four products of bytes for each lane, for several rows of iterations at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/elements/dot_rows.h"
#include "targets/edgetpu/machine/lanes/dot.h"

namespace edgetwin::edgetpu::machine {

using kernels::DotRow;
using kernels::DotWalk;

// As kernels/core/dot_table.h says, by the kernel of this processor where there is one.
void dot_rows(const DotWalk& walk, const DotRow* rows, size_t count);

// The zero points of the lanes as dot_rows() takes them; false: one of them is too large.
bool spread_zeros(const int32_t* zero, int lanes, int16_t* zeros);

}  // namespace edgetwin::edgetpu::machine
