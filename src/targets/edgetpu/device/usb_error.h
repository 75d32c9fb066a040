// What a transfer's end means to the user.
#pragma once

#include <string>
#include <string_view>

#include "targets/edgetpu/device/transport.h"

namespace edgetwin::edgetpu {

ErrorCode error_code(UsbStatus status);
// "bring-up, quit reset: writing scu_ctrl_3 ended with stall".
Error usb_error(std::string_view phase, std::string_view what, UsbStatus status);
Error short_error(std::string_view phase, std::string_view what, size_t got, size_t wanted);

// Whether a new start of the device may help: not where it lacks permission, or is refused.
bool worth_restart(const Error& error);

}  // namespace edgetwin::edgetpu
