// What MAX78000 and MAX78002 have: the table limits.def, one struct per chip.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/ai8x/network.h"

namespace edgetwin::max78 {

using ai8x::Device;

inline constexpr int kGroups = 4;
inline constexpr int kGroupProcessors = 16;
inline constexpr int kProcessors = 64;
inline constexpr int kInstanceProcessors = 4;  // that share a data memory
inline constexpr int kColumnBytes = 9;         // of a kernel memory
inline constexpr uint32_t kFifoBase = 0x50000000U;
inline constexpr uint32_t kAonControl = 0x50001000U;
inline constexpr uint32_t kFastFifoBase = 0x400c0400U;

struct Limits {
  Device device = Device::max78000;
#define LIMIT(member, type, small, large, meaning) type member{};
#include "targets/max78/chip/limits.def"
#undef LIMIT

  int columns(int processor) const {
    return processor % kGroupProcessors == 0 ? first_kernel_columns : kernel_columns;
  }
  int instance_bytes() const { return instance_words * 4; }
  uint32_t group(int g) const { return cnn_base + group_stride * static_cast<uint32_t>(g); }
  // Byte addresses: of a data memory (0 to 15), a kernel memory's column, a bias memory.
  uint32_t data_address(int instance) const {
    return group(instance / 4) + data_offset +
           static_cast<uint32_t>(instance % 4) * instance_stride;
  }
  uint32_t kernel_address(int processor, int column) const {
    return group(processor / kGroupProcessors) + kernel_offset +
           static_cast<uint32_t>(processor % kGroupProcessors) * kernel_stride +
           16U * static_cast<uint32_t>(column);
  }
  // Of the first entry of a processor's row memory, a word each.
  uint32_t row_address(int processor) const {
    return group(processor / kGroupProcessors) + tram_offset +
           static_cast<uint32_t>(processor % kGroupProcessors) * row_stride;
  }
  uint32_t bias_address(int g) const { return group(g) + bias_offset; }
};

const Limits& chip_limits(Device device);
std::string_view name(Device device);
// By name or alias of the table of targets, in any case.
std::optional<Device> device_by_name(std::string_view text);

}  // namespace edgetwin::max78
