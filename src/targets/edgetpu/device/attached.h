// Which sticks are attached, in which state, and by which words a user chooses one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/edgetpu/device/clock.h"
#include "targets/edgetpu/device/transport.h"

namespace edgetwin::edgetpu {

// The one interface of a stick.
inline constexpr int kInterface = 0;

enum class StickState : uint8_t { boot, runtime };
// Nothing: not an Edge TPU.
std::optional<StickState> stick_state(const UsbDevice& device);

// Only the sticks, ordered by bus and ports.
Result<std::vector<UsbDevice>> attached(Transport& transport);

// What is at a path now; an empty path: the only stick, or the first that is. Error: device_none.
Result<UsbDevice> choose(Transport& transport, std::string_view path);

// Asks again every `interval_ms` until a stick in the wanted state (nothing: in any) is at the path
// and can be opened. Errors: device_enumeration; device_permission at once.
struct Opened {
  UsbDevice device;
  std::unique_ptr<UsbConnection> connection;
};
Result<Opened> open_at(Transport& transport, const std::string& path,
                       std::optional<StickState> wanted, int tries, int interval_ms, Clock& clock);

// A look from outside for `devices`, without a reset: can it be opened, is it claimed.
enum class Access : uint8_t { free, permission, in_use, failed };
Access probe(Transport& transport, const UsbDevice& device);

// The line of /etc/udev/rules.d that lets every user of the machine's seat open both states.
std::string udev_rules();

}  // namespace edgetwin::edgetpu
