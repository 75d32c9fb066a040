#include "targets/max78/chip/limits.h"

#include <array>
#include <cctype>
#include <string>

namespace edgetwin::max78 {
namespace {

constexpr Limits kSmall{
    .device = Device::max78000,
#define LIMIT(member, type, small, large, meaning) .member = (small),
#include "targets/max78/chip/limits.def"
#undef LIMIT
};

constexpr Limits kLarge{
    .device = Device::max78002,
#define LIMIT(member, type, small, large, meaning) .member = (large),
#include "targets/max78/chip/limits.def"
#undef LIMIT
};

}  // namespace

const Limits& chip_limits(Device device) { return device == Device::max78000 ? kSmall : kLarge; }

std::string_view name(Device device) {
  return device == Device::max78000 ? "MAX78000" : "MAX78002";
}

std::optional<Device> device_by_name(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view s : {"max78000", "78000", "ai85", "85"}) {
    if (lower == s) return Device::max78000;
  }
  for (const std::string_view s : {"max78002", "78002", "ai87", "87"}) {
    if (lower == s) return Device::max78002;
  }
  return std::nullopt;
}

}  // namespace edgetwin::max78
