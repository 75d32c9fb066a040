// A way to devices that keeps every transfer, as a capture of the bus would show it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "targets/edgetpu/capture/pcap.h"
#include "targets/edgetpu/device/transport.h"

namespace edgetwin::edgetpu {

// Packets of all connections in the order in which they came; their times count packets, a
// microsecond each, so that the same transfers give the same bytes.
class CaptureLog {
 public:
  void add(UsbPacket packet);
  std::vector<UsbPacket> packets() const;
  uint64_t next_id();

 private:
  mutable std::mutex mutex_;
  std::vector<UsbPacket> packets_;
  uint64_t ids_ = 0;
};

class CaptureTransport : public Transport {
 public:
  explicit CaptureTransport(std::shared_ptr<Transport> of)
      : of_(std::move(of)), log_(std::make_shared<CaptureLog>()) {}

  std::string_view name() const override { return of_->name(); }
  Result<std::vector<UsbDevice>> list() override { return of_->list(); }
  Opened open(const UsbDevice& device) override;

  const CaptureLog& log() const { return *log_; }

 private:
  std::shared_ptr<Transport> of_;
  std::shared_ptr<CaptureLog> log_;
};

}  // namespace edgetwin::edgetpu
