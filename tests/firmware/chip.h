// A MAX78000 or MAX78002 around the processor, as far as generated firmware touches it: power and
// clock of the accelerator, timers, serial port, pins, semaphores. Everything else keeps what is
// written to it.
#pragma once

#include <array>
#include <functional>
#include <unordered_map>

#include "firmware/accelerator.h"
#include "firmware/cortex_m.h"

namespace edgetwin::firmware {

struct Access {
  char kind = 'w';  // w: 32 bits, b: 8 bits
  uint32_t address = 0, value = 0;
  bool operator==(const Access&) const = default;
};

class Chip : public Bus {
 public:
  using MakeAccelerator = std::function<std::unique_ptr<Accelerator>()>;
  Chip(max78::Device device, MakeAccelerator make);

  uint32_t read(uint32_t address, int bytes) override;
  void write(uint32_t address, int bytes, uint32_t value) override;
  void sleep() override;
  bool interrupt(int number) const override;
  std::string fault() const override { return fault_; }

  const std::string& output() const { return output_; }  // of the serial port
  // Writes to the accelerator.
  const std::vector<Access>& accesses() const { return accesses_; }
  // Writes to the power registers of its groups.
  const std::vector<Access>& power() const { return power_; }
  // The field of the accelerator's clock divider: at the first write, and at the last start.
  uint32_t first_divider() const { return first_divider_; }
  uint32_t running_divider() const { return running_divider_; }
  uint32_t pin_toggles(int port) const { return pins_[static_cast<size_t>(port)]; }
  uint32_t register_value(uint32_t address) const;  // of those that keep what is written
  bool powered() const { return accelerator_ != nullptr; }
  std::string problem() const { return accelerator_ ? accelerator_->problem() : problem_; }

 private:
  bool of_accelerator(uint32_t address) const;
  bool usable(uint32_t address);
  uint32_t read_accelerator(uint32_t address, int bytes);
  void write_accelerator(uint32_t address, int bytes, uint32_t value);
  void write_power(uint32_t address, uint32_t value);
  void refuse(const std::string& what, uint32_t address);

  const max78::Limits& chip_;
  MakeAccelerator make_;
  std::unique_ptr<Accelerator> accelerator_;  // while it has power
  std::unordered_map<uint32_t, uint32_t> registers_;
  std::vector<Access> accesses_, power_;
  uint32_t first_divider_ = 0, running_divider_ = 0;
  std::array<uint32_t, 3> pins_{};
  std::string output_, fault_, problem_;
  uint64_t time_ = 0;  // counts accesses: a clock for the timers
};

}  // namespace edgetwin::firmware
