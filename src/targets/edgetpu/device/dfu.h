// Firmware download as the USB standard describes it (Device Firmware Upgrade 1.1).
#pragma once

#include "targets/edgetpu/device/clock.h"
#include "targets/edgetpu/device/registers.h"
#include "targets/edgetpu/device/transport.h"

namespace edgetwin::edgetpu {

struct DfuInterface {
  int number = 0;
  bool can_download = false;
  bool can_upload = false;
  uint16_t transfer_size = 0;
};

// From a whole configuration. Error: device_answer.
Result<DfuInterface> find_dfu(ByteSpan configuration);

struct DfuStatus {
  uint8_t status = 0;
  int poll_timeout_ms = 0;
  DfuState state = DfuState::idle;
};

// One claimed interface.
class DfuClient {
 public:
  DfuClient(UsbConnection& connection, const DfuInterface& interface, Clock& clock)
      : connection_(connection), interface_(interface), clock_(clock) {}

  // Sends the image and compares what the device then holds. Errors: device_download, those of USB.
  Status download(ByteSpan image);
  // Out of an error or an unfinished download.
  Status make_idle();

 private:
  Result<DfuStatus> status();
  Status request(DfuRequest request, uint16_t value, ByteSpan data, std::string_view what);
  Status expect(DfuState wanted, std::string_view after);
  Status verify(ByteSpan image);

  UsbConnection& connection_;
  DfuInterface interface_;
  Clock& clock_;
};

}  // namespace edgetwin::edgetpu
