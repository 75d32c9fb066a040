#include "targets/edgetpu/device/transport.h"

namespace edgetwin::edgetpu {

namespace {

// How long a cancelled transfer may take to end.
constexpr int kCancelWaitMs = 1000;

}  // namespace

std::string_view name(UsbStatus status) {
  switch (status) {
    case UsbStatus::ok:
      return "ok";
    case UsbStatus::timeout:
      return "timeout";
    case UsbStatus::stall:
      return "stall";
    case UsbStatus::overflow:
      return "overflow";
    case UsbStatus::no_device:
      return "no device";
    case UsbStatus::busy:
      return "busy";
    case UsbStatus::access:
      return "no permission";
    case UsbStatus::cancelled:
      return "cancelled";
    case UsbStatus::no_memory:
      return "out of memory";
    case UsbStatus::invalid:
      return "invalid argument";
    case UsbStatus::io:
      return "input/output error";
  }
  return "unknown";
}

std::string_view name(UsbSpeed speed) {
  switch (speed) {
    case UsbSpeed::unknown:
      return "unknown speed";
    case UsbSpeed::low:
      return "low (1.5 Mbit/s)";
    case UsbSpeed::full:
      return "full (12 Mbit/s)";
    case UsbSpeed::high:
      return "high (480 Mbit/s)";
    case UsbSpeed::super:
      return "super (5 Gbit/s)";
    case UsbSpeed::super_plus:
      return "super+ (10 Gbit/s)";
  }
  return "unknown speed";
}

std::string UsbDevice::path() const {
  std::string text = std::to_string(bus);
  for (size_t i = 0; i < ports.size(); ++i) text += (i == 0 ? '-' : '.') + std::to_string(ports[i]);
  return text;
}

Transferred UsbConnection::bulk(uint8_t endpoint, std::span<std::byte> data, int timeout_ms) {
  const Submitted submitted = submit(endpoint, data, timeout_ms);
  if (submitted.status != UsbStatus::ok) return {submitted.status, 0};
  Waited waited = wait(submitted.id, timeout_ms);
  if (waited.ended) return waited.result;
  cancel(submitted.id);
  waited = wait(submitted.id, kCancelWaitMs);
  if (!waited.ended) return {UsbStatus::io, 0};
  if (waited.result.status == UsbStatus::cancelled) waited.result.status = UsbStatus::timeout;
  return waited.result;
}

}  // namespace edgetwin::edgetpu
