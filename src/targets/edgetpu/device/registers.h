// The one table of registers (registers.def), and the numbers of the protocol: ids, endpoints,
// tags, requests of registers and of the firmware download.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace edgetwin::edgetpu {

enum class Reg : uint8_t {
#define REGISTER(address, width, name, reset) name,
#define FIELD(reg, name, low, bits, meaning)
#include "targets/edgetpu/device/registers.def"
#undef FIELD
#undef REGISTER
};

struct RegisterInfo {
  Reg id;
  uint32_t address;
  int width;  // 32 or 64
  std::string_view name;
  uint64_t reset;
};

struct RegisterField {
  Reg reg;
  std::string_view name;
  int low;
  int bits;
  std::string_view meaning;
};

const std::vector<RegisterInfo>& all_registers();  // in the order of Reg
const std::vector<RegisterField>& all_register_fields();
const RegisterInfo& info(Reg reg);
const RegisterInfo* find_register(uint32_t address);  // null: not in the table

// Fields as types, so that a misspelt one does not compile: field::scu_ctrl_3_force_sleep.
struct BitField {
  Reg reg;
  int low;
  int bits;
  constexpr uint64_t mask() const { return ((uint64_t{1} << bits) - 1) << low; }
  constexpr uint64_t get(uint64_t value) const { return (value & mask()) >> low; }
  constexpr uint64_t set(uint64_t value, uint64_t content) const {
    return (value & ~mask()) | ((content << low) & mask());
  }
};
namespace field {
#define REGISTER(address, width, name, reset)
#define FIELD(reg, name, low, bits, meaning) \
  inline constexpr BitField reg##_##name{Reg::reg, low, bits};
#include "targets/edgetpu/device/registers.def"
#undef FIELD
#undef REGISTER
}  // namespace field

// Run controls: values.
inline constexpr uint64_t kRunIdle = 0, kRunGo = 1, kRunHalt = 2, kRunStep = 3;
inline constexpr uint64_t kAllTiles = 0x7f;

// The two faces of the device.
inline constexpr uint16_t kBootVendor = 0x1a6e, kBootProduct = 0x089a;
inline constexpr uint16_t kRuntimeVendor = 0x18d1, kRuntimeProduct = 0x9302;

// Requests: bit 7 is the direction, then vendor to device, or class to interface.
inline constexpr uint8_t kVendorRead = 0xc0, kVendorWrite = 0x40;
inline constexpr uint8_t kRegister64 = 0, kRegister32 = 1;  // bRequest
inline constexpr uint8_t kDfuRead = 0xa1, kDfuWrite = 0x21;

enum class DfuRequest : uint8_t {
  detach = 0,
  download = 1,
  upload = 2,
  get_status = 3,
  clear_status = 4,
  get_state = 5,
  abort = 6
};
enum class DfuState : uint8_t {
  app_idle = 0,
  app_detach = 1,
  idle = 2,
  download_sync = 3,
  download_busy = 4,
  download_idle = 5,
  manifest_sync = 6,
  manifest = 7,
  manifest_wait_reset = 8,
  upload_idle = 9,
  error = 10
};
std::string_view name(DfuState state);      // "dfuIDLE", ...; the standard's own words
std::string_view dfu_status(uint8_t code);  // "OK", "errTARGET", ...
inline constexpr uint8_t kDfuInterfaceClass = 0xfe, kDfuInterfaceSubclass = 1;
inline constexpr uint8_t kDfuFunctional = 0x21;  // type of its descriptor, 9 bytes

namespace endpoint {
inline constexpr uint8_t kOut = 0x01;  // single-endpoint mode: everything; else instructions
inline constexpr uint8_t kInput = 0x02, kParameters = 0x03;  // multi-endpoint mode
inline constexpr uint8_t kOutput = 0x81, kEvent = 0x82, kInterrupt = 0x83;
}  // namespace endpoint

// What a frame or an event is about: the low four bits of its tag byte.
enum class FrameTag : uint8_t {
  instructions = 0,
  input = 1,
  parameters = 2,
  output = 3,
  interrupt0 = 4,
  interrupt1 = 5,
  interrupt2 = 6,
  interrupt3 = 7
};
std::string_view name(FrameTag tag);
inline constexpr size_t kFrameHeaderBytes = 8;  // u32 length, tag, three zeros
inline constexpr size_t kEventBytes = 16;       // u64 address, u32 length, tag, three zeros
inline constexpr size_t kInterruptBytes = 4;    // bit 0 fatal, bits 1-4 top level 0-3
inline constexpr size_t kMaxBulkOut = size_t{1} << 20;
inline constexpr uint64_t kChunkUnitBytes = 8;  // of outfeed_chunk_length

}  // namespace edgetwin::edgetpu
