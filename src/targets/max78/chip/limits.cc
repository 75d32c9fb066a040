#include "targets/max78/chip/limits.h"

#include "targets/target.h"

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
  const auto id = targets::find_id(text);
  if (id == targets::Id::max78000) return Device::max78000;
  if (id == targets::Id::max78002) return Device::max78002;
  return std::nullopt;
}

}  // namespace edgetwin::max78
