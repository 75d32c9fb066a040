// An Edge TPU that stays open while several networks use it.
#pragma once

#include <memory>
#include <string>

#include "edgetwin/export.h"
#include "edgetwin/network.h"
#include "edgetwin/result.h"

namespace edgetwin {

struct DeviceOptions {
  std::string performance;  // low, medium, high, max; empty: max
  std::string firmware;     // file; empty: where the vendor's packages put it
  int threads = 1;          // of a virtual device's computation
};

// Handles of one device are cheap to copy; the device closes with the last one and the last runner.
class EDGETWIN_API Device {
 public:
  // "" and "usb": the first stick; ":1" and "usb:1" the second; "usb:2-1.4" the one with that path;
  // "virtual", "virtual:1": one of software, behind the same driver. Errors: usage,
  // device_unavailable, device_*.
  static Result<Device> open(const std::string& where, const DeviceOptions& options = {});

  // A compiled model on this device. Runners of one device may be used by several threads at once:
  // they take turns. Errors: usage for other files, device_*, those of Network::runner.
  Result<std::unique_ptr<Runner>> runner(const Network& network,
                                         const RunnerOptions& options = {}) const;

  struct Impl;

 private:
  explicit Device(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace edgetwin
