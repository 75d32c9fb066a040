#include "targets/edgetpu/device/attached.h"

#include <algorithm>
#include <tuple>

#include "targets/edgetpu/device/registers.h"
#include "targets/edgetpu/device/usb_error.h"

namespace edgetwin::edgetpu {

namespace {

Error nothing_at(std::string_view path, const std::vector<UsbDevice>& sticks) {
  if (path.empty())
    return Error(ErrorCode::device_none,
                 "no device 1a6e:089a (boot) or 18d1:9302 (runtime) is attached");
  Error error(ErrorCode::device_none, "no Edge TPU is attached at " + std::string(path));
  for (const UsbDevice& stick : sticks) error.details.push_back("there is one at " + stick.path());
  return error;
}

}  // namespace

std::optional<StickState> stick_state(const UsbDevice& device) {
  if (device.vendor == kBootVendor && device.product == kBootProduct) return StickState::boot;
  if (device.vendor == kRuntimeVendor && device.product == kRuntimeProduct)
    return StickState::runtime;
  return std::nullopt;
}

Result<std::vector<UsbDevice>> attached(Transport& transport) {
  EDGETWIN_TRY_ASSIGN(std::vector<UsbDevice> all, transport.list());
  std::erase_if(all, [](const UsbDevice& device) { return !stick_state(device); });
  std::ranges::sort(all, {}, [](const UsbDevice& d) { return std::tie(d.bus, d.ports); });
  return all;
}

Result<UsbDevice> choose(Transport& transport, std::string_view path) {
  EDGETWIN_TRY_ASSIGN(const std::vector<UsbDevice> sticks, attached(transport));
  for (const UsbDevice& stick : sticks)
    if (path.empty() || stick.path() == path) return stick;
  return nothing_at(path, sticks);
}

Result<Opened> open_at(Transport& transport, const std::string& path,
                       std::optional<StickState> wanted, int tries, int interval_ms, Clock& clock) {
  std::string last = "it did not appear";
  for (int attempt = 0; attempt < tries; ++attempt) {
    if (attempt > 0) clock.sleep_ms(interval_ms);
    const Result<UsbDevice> found = choose(transport, path);
    if (!found.ok()) {
      last = "it did not appear";
      continue;
    }
    if (wanted && stick_state(*found) != wanted) {
      last =
          *wanted == StickState::runtime ? "it is still in boot state" : "it is not in boot state";
      continue;
    }
    Transport::Opened opened = transport.open(*found);
    if (opened.status == UsbStatus::ok) return Opened{*found, std::move(opened.connection)};
    if (opened.status == UsbStatus::access)
      return usb_error("open", "opening " + path, opened.status).with_hint(udev_rules());
    last = "opening it ended with '" + std::string(name(opened.status)) + "'";
  }
  return Error(ErrorCode::device_enumeration,
               "the device at " + path + " cannot be reached: " + last)
      .detail(std::to_string(tries) + " tries, " + std::to_string(interval_ms) + " ms apart");
}

Access probe(Transport& transport, const UsbDevice& device) {
  const Transport::Opened opened = transport.open(device);
  if (opened.status == UsbStatus::access) return Access::permission;
  if (opened.status != UsbStatus::ok) return Access::failed;
  const UsbStatus claimed = opened.connection->claim(kInterface);
  if (claimed == UsbStatus::busy) return Access::in_use;
  if (claimed != UsbStatus::ok) return Access::failed;
  opened.connection->release(kInterface);
  return Access::free;
}

std::string udev_rules() {
  return "put these two lines into /etc/udev/rules.d/60-edgetwin.rules, then run `udevadm control "
         "--reload-rules && udevadm trigger`:\n"
         "SUBSYSTEM==\"usb\", ATTRS{idVendor}==\"1a6e\", ATTRS{idProduct}==\"089a\", "
         "MODE=\"0660\", TAG+=\"uaccess\"\n"
         "SUBSYSTEM==\"usb\", ATTRS{idVendor}==\"18d1\", ATTRS{idProduct}==\"9302\", "
         "MODE=\"0660\", TAG+=\"uaccess\"";
}

}  // namespace edgetwin::edgetpu
