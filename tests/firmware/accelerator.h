// What stands behind the bus at the accelerator's addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "targets/max78/limits.h"
#include "targets/max78/program.h"

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
