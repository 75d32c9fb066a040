// What the parts of the check share.
#pragma once

#include "targets/edgetpu/inspect/check.h"

namespace edgetwin::edgetpu {

inline constexpr size_t kMaxPerRule =
    20;  // of one executable: a damaged program breaks one everywhere

Finding finding(Rule rule, const std::string& place, std::string message);

}  // namespace edgetwin::edgetpu
