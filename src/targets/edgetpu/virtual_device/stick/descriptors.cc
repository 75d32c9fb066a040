#include "targets/edgetpu/virtual_device/stick/descriptors.h"

#include <initializer_list>

#include "targets/edgetpu/device/registers.h"

namespace edgetwin::edgetpu {
namespace {

// Types of descriptors.
constexpr unsigned kDevice = 1, kConfiguration = 2, kInterface = 4, kEndpoint = 5, kCompanion = 48;

void put(Bytes& to, std::initializer_list<unsigned> values) {
  to.push_back(static_cast<std::byte>(values.size() + 1));
  for (const unsigned v : values) to.push_back(static_cast<std::byte>(v));
}

// The length is the first byte of every descriptor; of a configuration it counts what follows, too.
Bytes configuration(unsigned power, const Bytes& inside) {
  Bytes all;
  const auto total = static_cast<unsigned>(9 + inside.size());
  put(all, {kConfiguration, total & 0xffU, total >> 8U, 1, 1, 0, 0x80, power});
  all.insert(all.end(), inside.begin(), inside.end());
  return all;
}

Bytes boot_configuration() {
  Bytes inside;
  put(inside, {kInterface, 0, 0, 0, kDfuInterfaceClass, kDfuInterfaceSubclass, 2, 0});
  // Can download, can upload, stays on the bus while it takes the firmware in.
  put(inside, {kDfuFunctional, 0x07, 0xff, 0, kDfuTransferBytes & 0xffU, kDfuTransferBytes >> 8U,
               0x10, 0x01});
  return configuration(250, inside);
}

void put_endpoint(Bytes& to, unsigned address, StickSpeed speed) {
  const bool interrupt = address == endpoint::kInterrupt;
  const auto size = interrupt ? 64U : static_cast<unsigned>(packet_bytes(speed));
  put(to, {kEndpoint, address, interrupt ? 3U : 2U, size & 0xffU, size >> 8U, interrupt ? 4U : 0U});
  if (speed != StickSpeed::super) return;
  put(to, {kCompanion, 0, 0, interrupt ? 64U : 0U, 0});
}

}  // namespace

Bytes stick_device_descriptor(StickMode mode, StickSpeed speed) {
  Bytes d;
  const bool boot = mode == StickMode::boot;
  const bool super = !boot && speed == StickSpeed::super;
  const unsigned vendor = boot ? kBootVendor : kRuntimeVendor;
  const unsigned product = boot ? kBootProduct : kRuntimeProduct;
  // At super speed the size of packets on endpoint 0 is a power of two.
  put(d, {kDevice, boot ? 0U : 0x10U, super ? 3U : 2U, 0, 0, 0, super ? 9U : 64U, vendor & 0xffU,
          vendor >> 8U, product & 0xffU, product >> 8U, 0, 1, 0, 0, 0, 1});
  return d;
}

Bytes stick_configuration_descriptor(StickMode mode, StickSpeed speed) {
  if (mode == StickMode::boot) return boot_configuration();
  Bytes inside;
  put(inside, {kInterface, 0, 0, 6, 0xff, 0, 0, 0});
  for (const unsigned address :
       {unsigned{endpoint::kOut}, unsigned{endpoint::kInput}, unsigned{endpoint::kParameters},
        unsigned{endpoint::kOutput}, unsigned{endpoint::kEvent}, unsigned{endpoint::kInterrupt}}) {
    put_endpoint(inside, address, speed);
  }
  // 900 mA: in units of 8 mA at super speed, 500 mA in units of 2 mA at high speed.
  return configuration(speed == StickSpeed::super ? 112 : 250, inside);
}

}  // namespace edgetwin::edgetpu
