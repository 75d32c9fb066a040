#include "targets/edgetpu/capture/pcap.h"

namespace edgetwin::edgetpu {

Bytes write_capture(const std::vector<UsbPacket>& packets) {
  constexpr int64_t kSecond = 1'000'000;
  constexpr uint32_t kHeaderBytes = 64, kLinkType = 220;
  ByteWriter w;
  w.write(uint32_t{0xa1b2c3d4}, "magic");
  w.write(uint16_t{2}, "version");
  w.write(uint16_t{4}, "version");
  w.write(uint64_t{0}, "time zone");
  w.write(uint32_t{0x7fffffff}, "snap length");
  w.write(kLinkType, "network");
  for (const UsbPacket& p : packets) {
    const auto size = static_cast<uint32_t>(p.data.size());
    w.write(static_cast<uint32_t>(p.microseconds / kSecond), "seconds");
    w.write(static_cast<uint32_t>(p.microseconds % kSecond), "microseconds");
    w.write(kHeaderBytes + size, "captured");
    w.write(kHeaderBytes + size, "original");
    w.write(p.id, "id");
    w.write(static_cast<uint8_t>(p.event), "type");
    w.write(static_cast<uint8_t>(p.kind), "xfer_type");
    w.write(p.endpoint, "epnum");
    w.write(p.device, "devnum");
    w.write(p.bus, "busnum");
    w.write(static_cast<uint8_t>(p.has_setup ? 0 : '-'), "flag_setup");
    w.write(static_cast<uint8_t>(size != 0 ? 0 : p.in() ? '<' : '>'), "flag_data");
    w.write(p.microseconds / kSecond, "ts_sec");
    w.write(static_cast<int32_t>(p.microseconds % kSecond), "ts_usec");
    w.write(p.status, "status");
    w.write(p.length, "length");
    w.write(size, "len_cap");
    for (const uint8_t byte : p.setup) w.write(byte, "setup");
    w.write(uint64_t{0}, "interval, start frame");
    w.write(uint64_t{0}, "flags, descriptors");
    w.append(p.data, "data");
  }
  return w.bytes();
}

}  // namespace edgetwin::edgetpu
