// What the virtual bus and its connections share.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace edgetwin::edgetpu {

struct BusTraffic {
  std::atomic<uint64_t> count = 0;
  FaultAt fault;
};

// A socket of the bus and the stick in it.
struct PortState {
  PortState(VirtualPort o, std::shared_ptr<Compute> compute, std::shared_ptr<BusTraffic> t)
      : options(std::move(o)), stick(options.stick, std::move(compute)), traffic(std::move(t)) {}

  bool present() const { return plugged && absent_lists == 0; }
  // A listing; whether it shows the stick.
  bool look();
  UsbDevice device() const;
  // Off the bus: whoever has it open has lost it.
  void leave();

  VirtualPort options;
  Stick stick;
  std::shared_ptr<BusTraffic> traffic;
  mutable std::mutex mutex;
  int address = 0;
  uint64_t generation = 0;  // of the enumeration
  uint64_t claimed_by = 0;  // a connection, or 0
  uint64_t connections = 0;
  bool plugged = true;
  int absent_lists = 0;
};

std::unique_ptr<UsbConnection> make_virtual_connection(std::shared_ptr<PortState> port);

}  // namespace edgetwin::edgetpu
