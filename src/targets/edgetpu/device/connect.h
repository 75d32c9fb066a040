// From a stick in any state to a claimed one with firmware.
#pragma once

#include "targets/edgetpu/device/attached.h"
#include "targets/edgetpu/device/firmware.h"

namespace edgetwin::edgetpu {

// Pauses and patience; the defaults are what the chip and its hubs were seen to need.
struct ConnectTimes {
  int settle_ms = 600;   // after a reset
  int reboot_ms = 1000;  // after the firmware
  int retry_ms = 1000;   // between looks at the bus
  int tries = 25;        // looks at the bus
  int download_tries = 3;
};

struct Connected {
  UsbDevice device;
  std::unique_ptr<UsbConnection> connection;  // interface 0 is claimed
  bool downloaded = false;
};

// `path` is a stick that was chosen. Errors: all device_*.
Result<Connected> connect(Transport& transport, const std::string& path,
                          const FirmwareOptions& firmware, const ConnectTimes& times, Clock& clock);

}  // namespace edgetwin::edgetpu
