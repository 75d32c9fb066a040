// Captures of a USB bus as Linux makes them (usbmon): .pcap and .pcapng files with packets of the
// link types 189 (header of 48 bytes) and 220 (64 bytes).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::edgetpu {

// A transfer is seen twice: as it is submitted, and as it ends.
struct UsbPacket {
  enum class Event : uint8_t { submit = 'S', complete = 'C', error = 'E' };
  enum class Kind : uint8_t { isochronous = 0, interrupt = 1, control = 2, bulk = 3 };
  uint64_t id = 0;  // of the transfer: equal in both packets
  Event event = Event::submit;
  Kind kind = Kind::bulk;
  uint8_t endpoint = 0;  // bit 7: to the host
  uint8_t device = 0;    // address
  uint16_t bus = 0;
  int64_t microseconds = 0;
  int32_t status = 0;   // of ends: 0, or a negative error number of Linux
  uint32_t length = 0;  // asked for, or moved
  bool has_setup = false;
  std::array<uint8_t, 8> setup{};  // of control transfers that are submitted
  Bytes data;                      // as far as it was captured
  bool in() const { return (endpoint & 0x80U) != 0; }
};

struct UsbCapture {
  std::vector<UsbPacket> packets;
  size_t other = 0;  // packets of other kinds that were left out: isochronous, of other links
  size_t cut = 0;    // packets whose data were not captured whole
};

// `file` is used in errors only. Errors: file_kind where it is no capture, truncated, bad_value,
// out_of_memory above 4,000,000 packets.
Result<UsbCapture> read_capture(ByteSpan data, const std::string& file);

// A .pcap with link type 220.
Bytes write_capture(const std::vector<UsbPacket>& packets);

}  // namespace edgetwin::edgetpu
