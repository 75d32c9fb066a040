#include <algorithm>
#include <bit>

#include "targets/edgetpu/capture/pcap.h"

namespace edgetwin::edgetpu {
namespace {

constexpr uint32_t kPcapMicro = 0xa1b2c3d4, kPcapNano = 0xa1b23c4d;
constexpr uint32_t kSection = 0x0a0d0d0a, kByteOrder = 0x1a2b3c4d;
constexpr uint32_t kInterfaceBlock = 1, kSimplePacket = 3, kEnhancedPacket = 6;
constexpr uint32_t kUsbLinux = 189, kUsbLinuxMapped = 220;
constexpr size_t kMostPackets = 4'000'000;

// Numbers of a file in either byte order.
class CaptureReader {
 public:
  CaptureReader(ByteSpan data, const std::string& file) : reader_(data, file) {}
  void swap(bool swaps) { swaps_ = swaps; }
  size_t remaining() const { return reader_.remaining(); }

  template <class T>
  Result<T> number(std::string_view field) {
    EDGETWIN_TRY_ASSIGN(ByteSpan raw, reader_.take(sizeof(T), field));
    Bytes bytes = to_bytes(raw);
    if (swaps_) std::ranges::reverse(bytes);
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  Result<ByteSpan> take(size_t size, std::string_view field) { return reader_.take(size, field); }
  Error bad(std::string message, std::string_view field) const {
    return reader_.error(ErrorCode::bad_value, std::move(message), field);
  }

 private:
  ByteReader reader_;
  bool swaps_ = false;
};

class Captured {
 public:
  Captured(bool swaps, const std::string& file) : swaps_(swaps), file_(file) {}
  UsbCapture capture;

  // A packet of a link type; whole packets of other links are counted.
  Status add(uint32_t link, ByteSpan bytes) {
    if (capture.packets.size() + capture.other >= kMostPackets) {
      return Error(ErrorCode::out_of_memory, "the capture has more than 4,000,000 packets")
          .in_file(file_);
    }
    if (link != kUsbLinux && link != kUsbLinuxMapped) {
      ++capture.other;
      return Ok{};
    }
    CaptureReader r(bytes, file_);
    r.swap(swaps_);
    UsbPacket p;
    EDGETWIN_TRY_ASSIGN(const bool wanted, header(r, link, p));
    if (!wanted) {
      ++capture.other;
      return Ok{};
    }
    EDGETWIN_TRY_ASSIGN(const ByteSpan data, r.take(r.remaining(), "data"));
    p.data = to_bytes(data.first(std::min<size_t>(data.size(), captured_)));
    const bool expects =
        p.in() ? p.event == UsbPacket::Event::complete : p.event == UsbPacket::Event::submit;
    if (expects && p.data.size() < p.length) ++capture.cut;
    capture.packets.push_back(std::move(p));
    return Ok{};
  }

 private:
  // False: a kind of transfer that no Edge TPU has.
  Result<bool> header(CaptureReader& r, uint32_t link, UsbPacket& p) {
    EDGETWIN_TRY_ASSIGN(p.id, r.number<uint64_t>("id"));
    EDGETWIN_TRY_ASSIGN(const auto event, r.number<uint8_t>("type"));
    EDGETWIN_TRY_ASSIGN(const auto kind, r.number<uint8_t>("xfer_type"));
    EDGETWIN_TRY_ASSIGN(p.endpoint, r.number<uint8_t>("epnum"));
    EDGETWIN_TRY_ASSIGN(p.device, r.number<uint8_t>("devnum"));
    EDGETWIN_TRY_ASSIGN(p.bus, r.number<uint16_t>("busnum"));
    EDGETWIN_TRY_ASSIGN(const auto no_setup, r.number<uint8_t>("flag_setup"));
    EDGETWIN_TRY(r.number<uint8_t>("flag_data"));
    EDGETWIN_TRY_ASSIGN(const auto seconds, r.number<int64_t>("ts_sec"));
    EDGETWIN_TRY_ASSIGN(const auto micro, r.number<int32_t>("ts_usec"));
    EDGETWIN_TRY_ASSIGN(p.status, r.number<int32_t>("status"));
    EDGETWIN_TRY_ASSIGN(p.length, r.number<uint32_t>("length"));
    EDGETWIN_TRY_ASSIGN(captured_, r.number<uint32_t>("len_cap"));
    EDGETWIN_TRY_ASSIGN(const ByteSpan setup, r.take(8, "setup"));
    if (link == kUsbLinuxMapped) EDGETWIN_TRY(r.take(16, "interval"));
    if (event != 'S' && event != 'C' && event != 'E') return r.bad("no event of usbmon", "type");
    if (kind > 3) return r.bad("no kind of transfer", "xfer_type");
    p.event = static_cast<UsbPacket::Event>(event);
    p.kind = static_cast<UsbPacket::Kind>(kind);
    constexpr int64_t kMillion = 1'000'000;
    const bool sane = seconds >= 0 && seconds < INT64_MAX / kMillion - 1;
    p.microseconds = sane ? seconds * kMillion + micro : 0;
    p.has_setup = no_setup == 0 && p.kind == UsbPacket::Kind::control;
    for (size_t k = 0; k < 8; ++k) p.setup[k] = std::to_integer<uint8_t>(setup[k]);
    return p.kind != UsbPacket::Kind::isochronous;
  }

  bool swaps_;
  const std::string& file_;
  uint32_t captured_ = 0;
};

Result<UsbCapture> read_pcap(ByteSpan data, const std::string& file, bool swaps) {
  CaptureReader r(data, file);
  r.swap(swaps);
  EDGETWIN_TRY(r.take(20, "header"));
  EDGETWIN_TRY_ASSIGN(const auto link, r.number<uint32_t>("network"));
  Captured captured(swaps, file);
  while (r.remaining() > 0) {
    EDGETWIN_TRY(r.take(8, "time"));
    EDGETWIN_TRY_ASSIGN(const auto size, r.number<uint32_t>("incl_len"));
    EDGETWIN_TRY(r.number<uint32_t>("orig_len"));
    EDGETWIN_TRY_ASSIGN(const ByteSpan packet, r.take(size, "packet"));
    EDGETWIN_TRY(captured.add(link & 0xffffU, packet));
  }
  return std::move(captured.capture);
}

Result<ByteSpan> enhanced(CaptureReader& r, const std::vector<uint32_t>& links, uint32_t& link) {
  EDGETWIN_TRY_ASSIGN(const auto interface, r.number<uint32_t>("interface_id"));
  EDGETWIN_TRY(r.take(8, "timestamp"));
  EDGETWIN_TRY_ASSIGN(const auto size, r.number<uint32_t>("captured_len"));
  EDGETWIN_TRY(r.number<uint32_t>("original_len"));
  if (interface >= links.size()) return r.bad("no interface of this number", "interface_id");
  link = links[interface];
  return r.take(size, "packet");
}

// One block after the other; what is neither an interface nor a packet is passed over.
Result<UsbCapture> read_pcapng(ByteSpan data, const std::string& file, bool swaps) {
  CaptureReader r(data, file);
  r.swap(swaps);
  Captured captured(swaps, file);
  std::vector<uint32_t> links;
  while (r.remaining() > 0) {
    EDGETWIN_TRY_ASSIGN(const auto type, r.number<uint32_t>("block_type"));
    EDGETWIN_TRY_ASSIGN(const auto size, r.number<uint32_t>("block_total_length"));
    if (size < 12 || size % 4 != 0) return r.bad("no length of a block", "block_total_length");
    EDGETWIN_TRY_ASSIGN(const ByteSpan body, r.take(size - 12, "block"));
    EDGETWIN_TRY(r.number<uint32_t>("block_total_length"));
    CaptureReader block(body, file);
    block.swap(swaps);
    if (type == kSection) links.clear();
    if (type == kInterfaceBlock) {
      EDGETWIN_TRY_ASSIGN(const auto link, block.number<uint16_t>("linktype"));
      links.push_back(link);
    }
    if (type != kEnhancedPacket && type != kSimplePacket) continue;
    uint32_t link = links.empty() ? 0 : links[0];
    ByteSpan packet;
    if (type == kEnhancedPacket) {
      EDGETWIN_TRY_ASSIGN(packet, enhanced(block, links, link));
    } else {
      EDGETWIN_TRY_ASSIGN(const auto length, block.number<uint32_t>("original_len"));
      EDGETWIN_TRY_ASSIGN(packet,
                          block.take(std::min<size_t>(length, block.remaining()), "packet"));
    }
    EDGETWIN_TRY(captured.add(link, packet));
  }
  return std::move(captured.capture);
}

}  // namespace

Result<UsbCapture> read_capture(ByteSpan data, const std::string& file) {
  uint32_t first = 0;
  uint32_t third = 0;
  if (data.size() >= 12) {
    std::memcpy(&first, data.data(), 4);
    std::memcpy(&third, data.data() + 8, 4);
  }
  const auto swapped = [](uint32_t v) {
    return v >> 24U | (v >> 8U & 0xff00U) | (v << 8U & 0xff0000U) | v << 24U;
  };
  if (first == kPcapMicro || first == kPcapNano) return read_pcap(data, file, false);
  if (swapped(first) == kPcapMicro || swapped(first) == kPcapNano) {
    return read_pcap(data, file, true);
  }
  if (first == kSection && third == kByteOrder) return read_pcapng(data, file, false);
  if (first == kSection && swapped(third) == kByteOrder) return read_pcapng(data, file, true);
  return Error(ErrorCode::file_kind, "this is not a capture: neither .pcap nor .pcapng")
      .in_file(file)
      .with_hint("`run --record DIR` writes one, and `tcpdump -i usbmon1 -w FILE` on Linux.");
}

}  // namespace edgetwin::edgetpu
