// A port of the virtual bus: whether its stick is there, and what a list of devices says of it.
#include <algorithm>
#include <cstring>

#include "targets/edgetpu/virtual_device/virtual_connection.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kAddresses = 127;

}  // namespace

bool PortState::look() {
  if (!plugged) return false;
  if (absent_lists == 0) return true;
  if (options.returns) --absent_lists;
  return false;
}

UsbDevice PortState::device() const {
  UsbDevice d;
  d.bus = options.bus;
  d.address = address;
  d.ports = options.ports;
  const Bytes descriptor = stick.device_descriptor();
  const auto word = [&](size_t at) {
    uint16_t value = 0;
    std::memcpy(&value, descriptor.data() + at, sizeof value);
    return value;
  };
  d.vendor = word(8);
  d.product = word(10);
  d.speed = stick.speed() == StickSpeed::super ? UsbSpeed::super : UsbSpeed::high;
  return d;
}

void PortState::leave() {
  ++generation;
  claimed_by = 0;
  address = address % kAddresses + 1;
  absent_lists = std::max(options.absent_lists, options.returns ? 0 : 1);
}

}  // namespace edgetwin::edgetpu
