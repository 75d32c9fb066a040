// Real devices, by libusb-1.0.
#pragma once

#include <memory>

#include "targets/edgetpu/device/transport.h"

namespace edgetwin::edgetpu {

// Error: device_unavailable, where the system has no USB.
Result<std::shared_ptr<Transport>> usb_transport();

}  // namespace edgetwin::edgetpu
