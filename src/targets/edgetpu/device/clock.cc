#include "targets/edgetpu/device/clock.h"

#include <chrono>
#include <thread>

namespace edgetwin::edgetpu {

namespace {

class SystemClock : public Clock {
 public:
  int64_t now_us() override {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  }
  void sleep_ms(int ms) override { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace edgetwin::edgetpu
