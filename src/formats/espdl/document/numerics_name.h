// Which numerics (rows of the table of numerics) belong to a chip of ESP-DL.
#pragma once

#include <string>

#include "formats/espdl/document/target.h"

namespace edgetwin::espdl {

// The chip's own numerics, and those of its portable code with wide sums.
std::string numerics_of(Target target);
std::string wide_numerics_of(Target target);

}  // namespace edgetwin::espdl
