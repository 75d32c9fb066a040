#include "targets/edgetpu/device/register_port.h"

#include <cstring>

#include "base/text.h"
#include "targets/edgetpu/device/usb_error.h"

namespace edgetwin::edgetpu {

Status RegisterPort::transfer(uint8_t type, const RegisterInfo& reg, std::span<std::byte> data,
                              std::string_view verb) {
  const uint8_t request = reg.width == 32 ? kRegister32 : kRegister64;
  Transferred end;
  for (int attempt = 0; attempt < kControlTries; ++attempt) {
    end = connection_.control(type, request, static_cast<uint16_t>(reg.address & 0xffff),
                              static_cast<uint16_t>(reg.address >> 16), data, kControlTimeoutMs);
    if (end.ok() && end.size == data.size()) return Ok{};
    if (end.status == UsbStatus::no_device || end.status == UsbStatus::access) break;
  }
  const std::string what = std::string(verb) + " " + std::string(reg.name);
  Error error = end.ok() ? short_error(phase_, what, end.size, data.size())
                         : usb_error(phase_, what, end.status);
  return std::move(error).detail("register " + hex_number(reg.address) + ", " +
                                 std::to_string(reg.width) + " bits, up to " +
                                 std::to_string(kControlTries) + " tries");
}

Result<uint64_t> RegisterPort::read(Reg reg) {
  const RegisterInfo& row = info(reg);
  std::byte raw[8] = {};
  EDGETWIN_TRY(
      transfer(kVendorRead, row, std::span(raw, static_cast<size_t>(row.width) / 8), "reading"));
  uint64_t value = 0;
  std::memcpy(&value, raw, sizeof value);
  return value;
}

Status RegisterPort::write(Reg reg, uint64_t value) {
  const RegisterInfo& row = info(reg);
  std::byte raw[8];
  std::memcpy(raw, &value, sizeof value);
  return transfer(kVendorWrite, row, std::span(raw, static_cast<size_t>(row.width) / 8), "writing");
}

Status RegisterPort::update(BitField field, uint64_t content) {
  EDGETWIN_TRY_ASSIGN(const uint64_t value, read(field.reg));
  return write(field.reg, field.set(value, content));
}

Status RegisterPort::poll(BitField field, uint64_t content) {
  uint64_t value = 0;
  for (int waited = 0; waited < kPollLimitMs; waited += kPollIntervalMs) {
    EDGETWIN_TRY_ASSIGN(value, read(field.reg));
    if (field.get(value) == content) return Ok{};
    clock_.sleep_ms(kPollIntervalMs);
  }
  return Error(ErrorCode::device_timeout, phase_ + ": " + std::string(info(field.reg).name) +
                                              " did not reach the awaited value within " +
                                              std::to_string(kPollLimitMs) + " ms")
      .detail("bits " + std::to_string(field.low) + " to " +
              std::to_string(field.low + field.bits - 1) + " are " + hex_number(field.get(value)) +
              ", awaited " + hex_number(content) + "; the register is " + hex_number(value));
}

}  // namespace edgetwin::edgetpu
