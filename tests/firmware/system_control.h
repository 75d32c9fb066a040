// The processor's own registers, as far as firmware without an operating system uses them:
// interrupt enables, the vector table's address, the system timer.
#pragma once

#include <array>
#include <cstdint>

namespace edgetwin::firmware {

class SystemControl {
 public:
  static constexpr uint32_t kBase = 0xe000e000U, kBytes = 0x1000U;
  static constexpr int kInterrupts = 128;

  uint32_t read(uint32_t offset) const {
    // The system timer: time passes while somebody looks at it.
    if (offset == kTimer && (registers_[kTimer / 4] & 1U) != 0) {
      return registers_[kTimer / 4] | 1U << 16;
    }
    return registers_[offset / 4];
  }
  void write(uint32_t offset, uint32_t value) {
    if (offset - kSetEnable < 16) {
      registers_[offset / 4] |= value;
    } else if (offset - kClearEnable < 16) {
      registers_[(offset - kClearEnable + kSetEnable) / 4] &= ~value;
    } else {
      registers_[offset / 4] = value;
    }
  }
  bool enabled(int interrupt) const {
    const auto word = static_cast<uint32_t>(interrupt / 32);
    return (registers_[kSetEnable / 4 + word] >> (interrupt % 32) & 1U) != 0;
  }
  uint32_t vector_address(int interrupt) const {
    return registers_[kVectorTable / 4] + 4U * static_cast<uint32_t>(16 + interrupt);
  }

 private:
  static constexpr uint32_t kTimer = 0x10, kSetEnable = 0x100, kClearEnable = 0x180,
                            kVectorTable = 0xd08;
  std::array<uint32_t, kBytes / 4> registers_{};
};

}  // namespace edgetwin::firmware
