#include "targets/max78/analysis/clock.h"

namespace edgetwin::max78 {
namespace {

constexpr int kPllMhz = 200;
constexpr int kMostWithoutPipeline = 50;  // MHz
constexpr int kMostDivider = 16;

int peripheral_mhz(Device device) { return device == Device::max78000 ? 50 : 60; }

}  // namespace

AcceleratorClock accelerator_clock(const Limits& chip, const Options& o) {
  AcceleratorClock clock;
  clock.pll = chip.has_pll && o.pll.value_or(true);
  clock.source_mhz = clock.pll ? kPllMhz : peripheral_mhz(chip.device);
  const bool pipeline = chip.has_pipeline && o.pipeline.value_or(true);
  if (o.clock_divider) {
    clock.running = *o.clock_divider;
  } else if (!pipeline) {
    while (clock.running < kMostDivider &&
           clock.source_mhz > kMostWithoutPipeline * clock.running) {
      clock.running *= 2;
    }
  }
  const bool slower = clock.pll && !o.max_speed && !o.clock_divider && clock.running < 4;
  clock.loading = slower ? 4 : clock.running;
  return clock;
}

}  // namespace edgetwin::max78
