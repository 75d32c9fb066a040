// dummy_hcd chooses the numbers of endpoints itself: this transport gives them the numbers that the
// driver knows, by their order in the configuration.
#pragma once

#include <algorithm>
#include <map>

#include "targets/edgetpu/device/transport.h"

namespace edgetwin::usb_test {

class NumberedConnection : public edgetpu::UsbConnection {
 public:
  explicit NumberedConnection(std::unique_ptr<edgetpu::UsbConnection> inner)
      : inner_(std::move(inner)) {
    const auto configuration = inner_->configuration_descriptor();
    if (!configuration.ok()) return;
    constexpr std::byte kEndpoint{5};
    constexpr uint8_t kIn = 0x80;
    uint8_t out = 0;
    uint8_t in = kIn;
    const Bytes& d = *configuration;
    for (size_t at = 0; at + 2 < d.size() && d[at] != std::byte{0};
         at += std::to_integer<size_t>(d[at])) {
      if (d[at + 1] != kEndpoint) continue;
      const auto real = std::to_integer<uint8_t>(d[at + 2]);
      uint8_t& next = (real & kIn) != 0 ? in : out;
      real_[++next] = real;
    }
  }

  edgetpu::UsbStatus claim(int interface) override { return inner_->claim(interface); }
  edgetpu::UsbStatus release(int interface) override { return inner_->release(interface); }
  edgetpu::UsbStatus reset() override { return inner_->reset(); }
  Result<Bytes> device_descriptor() override { return inner_->device_descriptor(); }
  Result<Bytes> configuration_descriptor() override { return inner_->configuration_descriptor(); }
  edgetpu::Transferred control(uint8_t type, uint8_t request, uint16_t value, uint16_t index,
                               std::span<std::byte> data, int timeout_ms) override {
    return inner_->control(type, request, value, index, data, timeout_ms);
  }
  Submitted submit(uint8_t endpoint, std::span<std::byte> data, int timeout_ms) override {
    const auto found = real_.find(endpoint);
    if (found == real_.end()) return {edgetpu::UsbStatus::invalid, edgetpu::kNoTransfer};
    return inner_->submit(found->second, data, timeout_ms);
  }
  Waited wait(edgetpu::TransferId id, int timeout_ms) override {
    return inner_->wait(id, timeout_ms);
  }
  void cancel(edgetpu::TransferId id) override { inner_->cancel(id); }
  void cancel_all() override { inner_->cancel_all(); }

 private:
  std::unique_ptr<edgetpu::UsbConnection> inner_;
  std::map<uint8_t, uint8_t> real_;
};

class NumberedTransport : public edgetpu::Transport {
 public:
  explicit NumberedTransport(std::shared_ptr<edgetpu::Transport> inner)
      : inner_(std::move(inner)) {}
  std::string_view name() const override { return inner_->name(); }
  Result<std::vector<edgetpu::UsbDevice>> list() override { return inner_->list(); }
  Opened open(const edgetpu::UsbDevice& device) override {
    Opened opened = inner_->open(device);
    if (opened.connection == nullptr) return opened;
    opened.connection = std::make_unique<NumberedConnection>(std::move(opened.connection));
    return opened;
  }

 private:
  std::shared_ptr<edgetpu::Transport> inner_;
};

}  // namespace edgetwin::usb_test
