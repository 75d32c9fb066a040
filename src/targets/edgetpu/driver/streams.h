// The endpoints of a running device in single-endpoint mode: frames out, outputs and events in.
//
// Frames are sent in order with up to three transfers on the way. An output may be asked for while
// frames are still being sent; nothing is sent while an output is awaited, which can lock up the
// chip. One read of events and one of interrupts are always pending.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "targets/edgetpu/device/registers.h"
#include "targets/edgetpu/device/transport.h"

namespace edgetwin::edgetpu {

// What an interrupt packet says.
namespace interrupt {
inline constexpr uint32_t kFatal = 1, kThermalShutdown = 2, kBus = 4, kMemoryTest = 8,
                          kThermalWarning = 16;
}

struct StreamOptions {
  size_t max_out_bytes = kMaxBulkOut;
  size_t outs_in_flight = 3;
  size_t read_bytes = size_t{32} << 10;  // of one read; a multiple of the packet size
  size_t packet_bytes = 1024;
  size_t chunk_bytes = 1024;  // in which the device sends; a shorter one than a packet ends a read
  size_t reads_in_flight = 4;
  int timeout_ms = 6000;
};
// 1024-byte packets on SuperSpeed, 512 below, where the device is told to send 256 at a time.
StreamOptions stream_options(UsbSpeed speed);

class DeviceStreams {
 public:
  DeviceStreams(UsbConnection& connection, const StreamOptions& options);
  ~DeviceStreams() { stop(); }
  DeviceStreams(const DeviceStreams&) = delete;
  DeviceStreams& operator=(const DeviceStreams&) = delete;

  Status start();
  // Cancels what is on its way and waits for its end, so that no buffer is in use afterwards.
  void stop();

  // One frame. The payload must stay until flush, receive or event has returned.
  Status send(FrameTag tag, ByteSpan payload);
  Status flush();
  Status receive(std::span<std::byte> out);
  Status event(FrameTag tag);

  // Interrupt packets that came since the last call, as one mask; does not wait.
  Result<uint32_t> interrupts();
  // Whether the device has sent more than it was asked for.
  bool left_over() const { return carry_at_ < carry_.size(); }

 private:
  struct Out {
    TransferId id = kNoTransfer;
    size_t size = 0;
    FrameTag tag = FrameTag::instructions;
    std::array<std::byte, kFrameHeaderBytes> header{};
  };
  struct In {
    TransferId id = kNoTransfer;
    Bytes buffer;
  };

  Result<Transferred> finish(TransferId id, std::string_view what);
  Status submit_out(FrameTag tag, std::span<std::byte> data, const std::byte* header);
  Status finish_oldest_out();
  Status post_reads(size_t missing);
  Status take_read(std::span<std::byte> out, size_t& filled);
  size_t take_carry(std::span<std::byte> out);
  Status post(In& in, uint8_t endpoint, std::string_view what);
  Status read_interrupt(const Transferred& end);

  UsbConnection& connection_;
  StreamOptions options_;
  std::vector<Out> outs_;  // a ring
  size_t first_out_ = 0, out_count_ = 0;
  std::vector<In> reads_;  // a ring
  size_t first_read_ = 0, read_count_ = 0;
  In event_, interrupt_;
  uint32_t interrupt_mask_ = 0;
  Bytes carry_;
  size_t carry_at_ = 0;
};

}  // namespace edgetwin::edgetpu
