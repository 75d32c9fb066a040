// Registers over control transfers: bounded retries, bounded polls, and errors that name the step.
#pragma once

#include <string>
#include <string_view>

#include "targets/edgetpu/device/clock.h"
#include "targets/edgetpu/device/registers.h"
#include "targets/edgetpu/device/transport.h"

namespace edgetwin::edgetpu {

inline constexpr int kControlTimeoutMs = 6000;
inline constexpr int kControlTries = 5;
inline constexpr int kPollLimitMs = 5000;
inline constexpr int kPollIntervalMs = 1;

class RegisterPort {
 public:
  RegisterPort(UsbConnection& connection, Clock& clock) : connection_(connection), clock_(clock) {}

  // Named in errors until the next call.
  void phase(std::string_view name) { phase_ = name; }

  Result<uint64_t> read(Reg reg);
  Status write(Reg reg, uint64_t value);
  // Reads, replaces the field, writes.
  Status update(BitField field, uint64_t content);
  // Reads until the field has the content. Error: device_timeout, with the last value.
  Status poll(BitField field, uint64_t content);

 private:
  Status transfer(uint8_t type, const RegisterInfo& reg, std::span<std::byte> data,
                  std::string_view verb);

  UsbConnection& connection_;
  Clock& clock_;
  std::string phase_;
};

// A register as one field.
constexpr BitField whole(Reg reg, int bits) { return {reg, 0, bits}; }

}  // namespace edgetwin::edgetpu
