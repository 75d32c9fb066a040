// What the two faces of the stick say about themselves: USB descriptors.
#pragma once

#include "base/bytes.h"

namespace edgetwin::edgetpu {

enum class StickMode : uint8_t { boot, runtime };
enum class StickSpeed : uint8_t { high, super };

// Of bulk endpoints.
inline size_t packet_bytes(StickSpeed speed) { return speed == StickSpeed::super ? 1024 : 512; }

// Bytes of one block of the firmware download.
inline constexpr size_t kDfuTransferBytes = 256;

// The boot loader speaks at high speed only.
Bytes stick_device_descriptor(StickMode mode, StickSpeed speed);
Bytes stick_configuration_descriptor(StickMode mode, StickSpeed speed);

}  // namespace edgetwin::edgetpu
