#include "firmware/chip.h"

#include "targets/max78/chip/regs.h"

namespace edgetwin::firmware {
namespace {

constexpr uint32_t kClkctrl = 0x40000008U, kIpll = 0x40000010U, kPclkdiv = 0x40000018U,
                   kPclkdis0 = 0x40000024U, kPclkdis1 = 0x40000048U;
constexpr uint32_t kGcfr = 0x40005800U;  // power, memories, isolation, reset of the groups
constexpr uint32_t kTimers = 0x40010000U, kUart0Fifo = 0x40042020U;
constexpr uint32_t kPorts[] = {0x40008000U, 0x40009000U, 0x40080400U};
constexpr uint32_t kCnnClock = 1U << 25;
constexpr uint32_t kSemaphoreIrq0 = 0x4003e040U, kSemaphoreBits = 0x10001U;
constexpr int kCnnInterrupt = 101, kSecondCoreInterrupt = 63;  // of the Arm core

bool within(uint32_t address, uint32_t begin, uint32_t bytes) { return address - begin < bytes; }

}  // namespace

Chip::Chip(max78::Device device, MakeAccelerator make)
    : chip_(max78::chip_limits(device)), make_(std::move(make)) {
  registers_[kPclkdis0] = 0xffffffffU;
  registers_[kPclkdis1] = 0xffffffffU;
  registers_[kGcfr + 8] = 0xf;
}

void Chip::refuse(const std::string& what, uint32_t address) {
  char text[32];
  snprintf(text, sizeof(text), " at 0x%08x", address);
  if (fault_.empty()) fault_ = what + text;
}

bool Chip::of_accelerator(uint32_t address) const {
  return within(address, max78::kFifoBase, 0x2000) || within(address, max78::kFastFifoBase, 0x18) ||
         within(address, chip_.cnn_base, 4 * chip_.group_stride);
}

// Whether the accelerator, and the group of the address, has its clock and power.
bool Chip::usable(uint32_t address) {
  const auto state = [&](uint32_t reg) { return registers_[kGcfr + 4 * reg]; };
  if (!accelerator_ || (registers_[kPclkdis0] & kCnnClock) != 0 || state(3) != 0) {
    refuse("the accelerator is used without power or clock, or in reset,", address);
    return false;
  }
  if (!within(address, chip_.cnn_base, 4 * chip_.group_stride)) return true;
  const uint32_t group = 1U << ((address - chip_.cnn_base) / chip_.group_stride);
  if ((state(0) & group) == 0 || (state(1) & group) == 0 || (state(2) & group) != 0) {
    refuse("a group without power, memory or behind isolation is used", address);
    return false;
  }
  return true;
}

uint32_t Chip::read_accelerator(uint32_t address, int bytes) {
  if (!usable(address)) return 0;
  if (bytes != 4) {
    refuse("a read of less than a word", address);
    return 0;
  }
  // Room in a FIFO comes while somebody waits for it.
  if (address == max78::kFifoBase + 4 || address == max78::kFastFifoBase + 4) accelerator_->run();
  return accelerator_->read32(address);
}

void Chip::write_accelerator(uint32_t address, int bytes, uint32_t value) {
  if (!usable(address)) return;
  if (bytes != 4 && bytes != 1) return refuse("a write of two bytes", address);
  accesses_.push_back({bytes == 4 ? 'w' : 'b', address, value});
  const uint32_t divider = registers_[kPclkdiv] >> 14 & 7U;
  // Group 0 always leads.
  const bool control = max78::address(chip_, max78::GlobalReg::ctl, 0) == address;
  if (control && (value & 1U) != 0) running_divider_ = divider;
  if (accesses_.size() == 1) first_divider_ = divider;
  if (bytes == 1) return accelerator_->write8(address, static_cast<uint8_t>(value));
  accelerator_->write32(address, value);
  const bool fifo =
      within(address, max78::kFifoBase + 8, 16) || address == max78::kFastFifoBase + 0x10;
  if (fifo) accelerator_->run();
}

void Chip::write_power(uint32_t address, uint32_t value) {
  registers_[address] = value;
  power_.push_back({'w', address, value});
  const bool power = registers_[kGcfr] != 0;
  if (power && !accelerator_) accelerator_ = make_();
  if (!power && accelerator_) {
    problem_ += accelerator_->problem();
    accelerator_.reset();
  }
}

uint32_t Chip::read(uint32_t address, int bytes) {
  ++time_;
  if (of_accelerator(address)) return read_accelerator(address, bytes);
  if (address >= max78::kFifoBase) {
    refuse("a read where nothing is", address);
    return 0;
  }
  uint32_t value = registers_[address];
  if (address == kClkctrl) value |= (value & (0x1fU << 16)) << 8;  // oscillators are ready at once
  if (address == kIpll) value |= (value & 1U) << 1;
  if (within(address, kTimers, 0x4000) && (address & 0xfffU) == 0) {
    value += static_cast<uint32_t>(time_);
  }
  return value;
}

void Chip::write(uint32_t address, int bytes, uint32_t value) {
  ++time_;
  if (of_accelerator(address)) return write_accelerator(address, bytes, value);
  if (address >= max78::kFifoBase) return refuse("a write where nothing is", address);
  if (address == kUart0Fifo) {
    if (output_.size() < (1U << 20)) output_ += static_cast<char>(value);
    return;
  }
  if (within(address, kGcfr, 16)) return write_power(address, value);
  for (size_t p = 0; p < pins_.size(); ++p) {
    if (address == kPorts[p] + 0x1c || address == kPorts[p] + 0x20) pins_[p] |= value;
  }
  if (within(address, kTimers, 0x4000) && (address & 0xfffU) == 0) {
    value -= static_cast<uint32_t>(time_);
  }
  registers_[address] = value;
}

uint32_t Chip::register_value(uint32_t address) const {
  const auto found = registers_.find(address);
  return found == registers_.end() ? 0 : found->second;
}

void Chip::sleep() {
  if (accelerator_) accelerator_->run();
}

bool Chip::interrupt(int number) const {
  if (number == kSecondCoreInterrupt) {
    return (register_value(kSemaphoreIrq0) & kSemaphoreBits) == kSemaphoreBits;
  }
  return number == kCnnInterrupt && accelerator_ && accelerator_->interrupt();
}

}  // namespace edgetwin::firmware
