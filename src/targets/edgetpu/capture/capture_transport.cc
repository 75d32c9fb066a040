#include "targets/edgetpu/capture/capture_transport.h"

#include <algorithm>
#include <map>

namespace edgetwin::edgetpu {
namespace {

constexpr uint8_t kToHost = 0x80;

// Error numbers of Linux, as usbmon shows them.
int32_t linux_status(UsbStatus status) {
  switch (status) {
    case UsbStatus::ok:
      return 0;
    case UsbStatus::timeout:
    case UsbStatus::cancelled:
      return -2;  // ENOENT: taken back
    case UsbStatus::stall:
      return -32;  // EPIPE
    case UsbStatus::overflow:
      return -75;  // EOVERFLOW
    case UsbStatus::no_device:
      return -19;  // ENODEV
    default:
      return -71;  // EPROTO
  }
}

class CaptureConnection : public UsbConnection {
 public:
  CaptureConnection(std::unique_ptr<UsbConnection> of, const UsbDevice& device,
                    std::shared_ptr<CaptureLog> log)
      : of_(std::move(of)), device_(device), log_(std::move(log)) {}

  UsbStatus claim(int interface) override { return of_->claim(interface); }
  UsbStatus release(int interface) override { return of_->release(interface); }
  UsbStatus reset() override { return of_->reset(); }
  Result<Bytes> device_descriptor() override { return of_->device_descriptor(); }
  Result<Bytes> configuration_descriptor() override { return of_->configuration_descriptor(); }

  Transferred control(uint8_t request_type, uint8_t request, uint16_t value, uint16_t index,
                      std::span<std::byte> data, int timeout_ms) override {
    UsbPacket p = packet(UsbPacket::Kind::control, request_type & kToHost, log_->next_id());
    const auto low = [](size_t v) { return static_cast<uint8_t>(v & 0xffU); };
    p.has_setup = true;
    p.setup = {request_type, request,          low(value),       low(value >> 8U),
               low(index),   low(index >> 8U), low(data.size()), low(data.size() >> 8U)};
    p.length = static_cast<uint32_t>(data.size());
    if (!p.in()) p.data = to_bytes(data);
    log_->add(p);
    const Transferred end = of_->control(request_type, request, value, index, data, timeout_ms);
    finish(p, end, data);
    return end;
  }

  Submitted submit(uint8_t endpoint, std::span<std::byte> data, int timeout_ms) override {
    const bool interrupt = (endpoint & 0x7fU) > 2;
    UsbPacket p = packet(interrupt ? UsbPacket::Kind::interrupt : UsbPacket::Kind::bulk, endpoint,
                         log_->next_id());
    p.length = static_cast<uint32_t>(data.size());
    if (!p.in()) p.data = to_bytes(data);
    log_->add(p);
    const Submitted submitted = of_->submit(endpoint, data, timeout_ms);
    if (submitted.status == UsbStatus::ok) {
      const std::lock_guard lock(mutex_);
      open_[submitted.id] = {std::move(p), data};
    } else {
      finish(p, {submitted.status, 0}, data);
    }
    return submitted;
  }

  Waited wait(TransferId id, int timeout_ms) override {
    const Waited waited = of_->wait(id, timeout_ms);
    if (!waited.ended) return waited;
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    if (found == open_.end()) return waited;
    finish(found->second.packet, waited.result, found->second.data);
    open_.erase(found);
    return waited;
  }

  void cancel(TransferId id) override { of_->cancel(id); }
  void cancel_all() override { of_->cancel_all(); }

 private:
  struct Open {
    UsbPacket packet;
    std::span<std::byte> data;
  };

  UsbPacket packet(UsbPacket::Kind kind, uint8_t endpoint, uint64_t id) const {
    UsbPacket p;
    p.id = id;
    p.kind = kind;
    p.endpoint = endpoint;
    p.device = static_cast<uint8_t>(device_.address);
    p.bus = static_cast<uint16_t>(device_.bus);
    p.status = -115;  // EINPROGRESS
    return p;
  }

  void finish(UsbPacket p, const Transferred& end, std::span<const std::byte> data) {
    p.event = UsbPacket::Event::complete;
    p.status = linux_status(end.status);
    p.length = static_cast<uint32_t>(end.size);
    p.has_setup = false;
    p.setup = {};
    p.data = p.in() ? to_bytes(data.first(std::min(end.size, data.size()))) : Bytes();
    log_->add(std::move(p));
  }

  std::unique_ptr<UsbConnection> of_;
  UsbDevice device_;
  std::shared_ptr<CaptureLog> log_;
  std::mutex mutex_;
  std::map<TransferId, Open> open_;
};

}  // namespace

void CaptureLog::add(UsbPacket packet) {
  const std::lock_guard lock(mutex_);
  packet.microseconds = static_cast<int64_t>(packets_.size());
  packets_.push_back(std::move(packet));
}

std::vector<UsbPacket> CaptureLog::packets() const {
  const std::lock_guard lock(mutex_);
  return packets_;
}

uint64_t CaptureLog::next_id() {
  const std::lock_guard lock(mutex_);
  return ++ids_;
}

Transport::Opened CaptureTransport::open(const UsbDevice& device) {
  Opened opened = of_->open(device);
  if (opened.connection == nullptr) return opened;
  return {opened.status,
          std::make_unique<CaptureConnection>(std::move(opened.connection), device, log_)};
}

}  // namespace edgetwin::edgetpu
