// Faults of the virtual stick by the words of a user: "stall@12", "short_transfer@output".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace edgetwin::edgetpu {

// KIND@N: transfer number N since the bus was made, from 0. KIND@control, @out, @output, @event,
// @interrupt: the first transfer of that kind; with ":N" behind it number N of them, from 0. Error:
// usage, which lists the kinds.
Result<FaultAt> parse_fault(std::string_view text);
// The kinds with their meaning, one per line.
std::string fault_list();

}  // namespace edgetwin::edgetpu
