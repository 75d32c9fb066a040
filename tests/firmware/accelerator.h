// What stands behind the bus at the accelerator's addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "targets/max78/chip/limits.h"
#include "targets/max78/machine/machine.h"
#include "targets/max78/program/program.h"

namespace edgetwin::firmware {

class Accelerator {
 public:
  virtual ~Accelerator() = default;
  virtual void write32(uint32_t address, uint32_t value) = 0;
  virtual void write8(uint32_t address, uint8_t value) = 0;
  virtual uint32_t read32(uint32_t address) = 0;
  virtual void run() = 0;              // as far as it gets
  virtual bool interrupt() const = 0;  // the line
  virtual std::string problem() const = 0;
};

// The machine: the whole example of putting it behind an emulator's bus.
class MachineAccelerator : public Accelerator {
 public:
  explicit MachineAccelerator(max78::Device device) : machine_(device) {}
  void write32(uint32_t address, uint32_t value) override { machine_.write32(address, value); }
  void write8(uint32_t address, uint8_t value) override { machine_.write8(address, value); }
  uint32_t read32(uint32_t address) override { return machine_.read32(address); }
  void run() override {
    if (machine_.running()) machine_.run();
  }
  bool interrupt() const override { return machine_.interrupt(); }
  std::string problem() const override;

 private:
  max78::Machine machine_;
};

// Plain memory in which the known answer appears when the network is started: it computes nothing,
// and so tells what the firmware does from what the machine does.
class AnswerMemory : public Accelerator {
 public:
  AnswerMemory(max78::Device device, std::vector<max78::Run> answer);
  void write32(uint32_t address, uint32_t value) override;
  void write8(uint32_t, uint8_t) override {}
  uint32_t read32(uint32_t address) override;
  void run() override;
  bool interrupt() const override { return finished_; }
  std::string problem() const override { return {}; }

 private:
  bool is_control(uint32_t address) const;

  const max78::Limits& chip_;
  std::vector<max78::Run> answer_;
  std::unordered_map<uint32_t, uint32_t> words_;
  bool started_ = false, finished_ = false;
};

}  // namespace edgetwin::firmware
