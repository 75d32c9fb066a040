// A capture in the words of the driver: registers by name, frames, outputs, events.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "targets/edgetpu/capture/pcap.h"

namespace edgetwin::edgetpu {

// Addresses of a capture with the number of their packets, in the order of their first packet.
struct CapturedDevice {
  uint16_t bus = 0;
  uint8_t address = 0;
  size_t packets = 0;
  bool looks_like_edgetpu = false;  // registers were read or written
};
std::vector<CapturedDevice> captured_devices(const UsbCapture& capture);

// Submission and end of a transfer, put together.
struct UsbAction {
  size_t packet = 0;  // index of the packet that decides its order: what goes out when it is
                      // submitted, what comes in when it ends
  UsbPacket::Kind kind = UsbPacket::Kind::bulk;
  uint8_t endpoint = 0;
  std::array<uint8_t, 8> setup{};
  uint32_t asked = 0;
  Bytes data;                     // that moved
  std::optional<int32_t> status;  // nothing: the capture ends before
  bool in() const { return (endpoint & 0x80U) != 0; }
  uint32_t address() const;  // of a register: request index and value
  bool is_register() const;  // a control transfer that reads or writes one
};
std::vector<UsbAction> actions_of(const UsbCapture& capture, const CapturedDevice& device);

// One line for each thing that the driver did; frames of several transfers are one line, and so are
// consecutive reads of a register with the same value.
struct DriverLine {
  size_t packet = 0;
  std::string text;
};
std::vector<DriverLine> driver_lines(const std::vector<UsbAction>& actions);

}  // namespace edgetwin::edgetpu
