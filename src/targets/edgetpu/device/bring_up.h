// From a claimed device with firmware to one that executes, and back to sleep.
#pragma once

#include "targets/edgetpu/device/register_port.h"

namespace edgetwin::edgetpu {

enum class Performance : uint8_t { low, medium, high, max };
std::string_view name(Performance performance);

struct PerformanceClocks {
  int gcb_mhz, axi_mhz, usb_mhz;  // the chip, its buses, the processor that serves USB
};
PerformanceClocks clocks(Performance performance);

struct BringUpOptions {
  Performance performance = Performance::max;
  bool descriptors = false;     // the device announces every transfer, not only interrupts
  uint64_t chunk_bytes = 1024;  // in which outputs are sent
};

Status bring_up(RegisterPort& port, const BringUpOptions& options);
// Interrupts off, everything halted, asleep.
Status shut_down(RegisterPort& port);

// What the sensor says; how it becomes degrees is not known.
struct Temperature {
  int raw = 0;
  bool warning = false, shutdown = false;
};
Result<Temperature> read_temperature(RegisterPort& port);
Status clear_thermal(RegisterPort& port, const Temperature& seen);

// hib_error_status in words, one line each; with the first error and the scalar core's state.
Result<std::vector<std::string>> fatal_state(RegisterPort& port);

}  // namespace edgetwin::edgetpu
