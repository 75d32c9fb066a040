// The software stick as a USB gadget of the running kernel: FunctionFS behind dummy_hcd.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "targets/edgetpu/virtual_device/stick/stick.h"

namespace edgetwin::usb_test {

// Runs until the machine is switched off.
class Gadget {
 public:
  // `folder` is where functionfs is mounted.
  Gadget(edgetpu::Stick& stick, std::string folder);
  // Writes the descriptors; then the controller may be bound. Empty, or what failed.
  std::string prepare();
  // Serves the endpoints in threads of its own.
  void serve();

  std::mutex& mutex() { return mutex_; }  // of the stick

 private:
  void control_loop();
  void setup(const void* packet);
  void out_loop(int fd);
  void in_loop(int fd, uint8_t endpoint);

  edgetpu::Stick& stick_;
  std::string folder_;
  int control_ = -1;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::atomic<bool> enabled_ = false;
};

}  // namespace edgetwin::usb_test
