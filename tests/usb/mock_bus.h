// A software stick behind the system's own libusb: umockdev shows a bus to this process, and
// answers what libusb asks the kernel for. Needs to run under umockdev-wrapper.
#pragma once

#include <memory>

#include "targets/edgetpu/virtual_device/stick/stick.h"

namespace edgetwin::usb_test {

class MockBus {
 public:
  MockBus(const edgetpu::StickOptions& options, std::shared_ptr<edgetpu::Compute> compute);
  ~MockBus();
  MockBus(const MockBus&) = delete;
  MockBus& operator=(const MockBus&) = delete;

  // Whether this process is mocked at all.
  static bool works();

  // The stick is at port 1 of bus 1. Its answers come from another thread: look at it between
  // runs only.
  edgetpu::Stick& stick();
  void unplug();
  void plug();
  uint64_t urbs() const;  // transfers so far
  // Transfers that the host has begun and not yet taken back.
  size_t on_the_way() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace edgetwin::usb_test
