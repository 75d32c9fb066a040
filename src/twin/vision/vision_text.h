// What ESP-DL's post-processors found, for people.
#pragma once

#include <string>

#include "decode/espdl/core/result.h"

namespace edgetwin::twin {

std::string to_text(const espdl_decode::Decoded& decoded);

}  // namespace edgetwin::twin
