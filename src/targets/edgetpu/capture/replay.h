// What a host did in a capture, done again on another device, and what that device answers.
#pragma once

#include <string>
#include <vector>

#include "targets/edgetpu/capture/decode.h"
#include "targets/edgetpu/device/transport.h"

namespace edgetwin::edgetpu {

struct Replayed {
  size_t done = 0;      // transfers
  size_t compared = 0;  // answers
  size_t skipped = 0;   // of the firmware's download, of the standard, or taken back in the capture
  struct Difference {
    size_t packet = 0;
    std::string text;
  };
  std::vector<Difference> differences;
};

// On the first Edge TPU of the transport, which must have its firmware. Of consecutive reads of one
// register (a driver that waits) only the last is compared. Errors: device_none,
// device_unavailable.
Result<Replayed> replay(const std::vector<UsbAction>& actions, Transport& transport);

}  // namespace edgetwin::edgetpu
