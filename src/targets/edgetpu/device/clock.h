// Time, so that a test or a device made of software need not wait for it.
#pragma once

#include <cstdint>

namespace edgetwin::edgetpu {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t now_us() = 0;  // never goes back
  virtual void sleep_ms(int ms) = 0;
};

// The machine's own.
Clock& system_clock();

// Sleeping costs nothing: time jumps.
class JumpingClock : public Clock {
 public:
  int64_t now_us() override { return now_us_; }
  void sleep_ms(int ms) override { now_us_ += int64_t{1000} * ms; }

 private:
  int64_t now_us_ = 0;
};

}  // namespace edgetwin::edgetpu
