// Generators whose numbers are the same on every machine.
#pragma once

#include <cstdint>

namespace edgetwin {

// The 32-bit xorshift that fills test inputs: a byte is the top eight bits of the next state.
class XorShift32 {
 public:
  explicit XorShift32(uint32_t seed) : state_(seed) {}
  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }
  uint8_t byte() { return static_cast<uint8_t>(next() >> 24); }

 private:
  uint32_t state_;
};

}  // namespace edgetwin
