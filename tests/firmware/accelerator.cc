#include "firmware/accelerator.h"

#include "targets/max78/chip/regs.h"

namespace edgetwin::firmware {

std::string MachineAccelerator::problem() const {
  std::string text;
  for (const Finding& f : machine_.findings()) {
    if (f.severity == Severity::error) text += std::string(f.id) + ": " + f.message + "\n";
  }
  return text;
}

AnswerMemory::AnswerMemory(max78::Device device, std::vector<max78::Run> answer)
    : chip_(max78::chip_limits(device)), answer_(std::move(answer)) {}

bool AnswerMemory::is_control(uint32_t address) const {
  for (int g = 0; g < max78::kGroups; ++g) {
    if (address == max78::address(chip_, max78::GlobalReg::ctl, g)) return true;
  }
  return false;
}

void AnswerMemory::write32(uint32_t address, uint32_t value) {
  words_[address] = value;
  if (!is_control(address)) return;
  started_ = (value & 1U) != 0;
  finished_ = false;  // by the acknowledge, or a new start
}

uint32_t AnswerMemory::read32(uint32_t address) {
  uint32_t value = 0;
  if (const auto word = words_.find(address); word != words_.end()) value = word->second;
  for (int g = 0; g < max78::kGroups; ++g) {
    // Memory tests are done at once; every test has its own bit, the errors stay clear.
    if (address == max78::address(chip_, max78::GlobalReg::sram_test, g)) {
      return value | (chip_.device == max78::Device::max78000 ? 0x083c0000U : 0x023c0000U);
    }
  }
  return value;
}

void AnswerMemory::run() {
  if (!started_ || finished_) return;
  for (const max78::Run& r : answer_) {
    for (size_t i = 0; i < r.words.size(); ++i) {
      words_[r.address + 4 * static_cast<uint32_t>(i)] = r.words[i];
    }
  }
  started_ = false;
  finished_ = true;
}

}  // namespace edgetwin::firmware
