// Counts the instructions of functions, with all that they call.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace edgetwin::firmware {

struct Phase {
  std::string function;
  uint64_t instructions = 0, calls = 0;
};

class PhaseCounter {
 public:
  void add(const std::string& function, uint32_t address) {
    entries_[address] = phases_.size();
    phases_.push_back({function});
  }

  // The address of the next instruction is that of a counted function.
  bool entered(uint32_t address) const { return entries_.contains(address); }
  void enter(uint32_t address, uint32_t return_address, uint64_t now) {
    const size_t phase = entries_.at(address);
    ++phases_[phase].calls;
    open_.push_back({phase, return_address & ~1U, now});
  }
  // The function entered last comes back here.
  bool returned(uint32_t address) const {
    return !open_.empty() && open_.back().return_address == (address & ~1U);
  }
  const Phase& leave(uint64_t now) {
    const Open last = open_.back();
    open_.pop_back();
    phases_[last.phase].instructions += now - last.begin;
    return phases_[last.phase];
  }

  std::vector<Phase> finish(uint64_t now) {
    while (!open_.empty()) leave(now);
    return phases_;
  }

 private:
  struct Open {
    size_t phase;
    uint32_t return_address;
    uint64_t begin;
  };
  std::map<uint32_t, size_t> entries_;
  std::vector<Phase> phases_;
  std::vector<Open> open_;
};

}  // namespace edgetwin::firmware
