// How long a real stick would likely take: an estimate from published measurements.
#pragma once

#include <cstdint>

#include "targets/edgetpu/virtual_device/stick/descriptors.h"

namespace edgetwin::edgetpu {

// Nanoseconds.
struct StickTime {
  int64_t out_ns = 0, in_ns = 0, control_ns = 0, compute_ns = 0;
  int64_t transfers = 0, out_bytes = 0, in_bytes = 0;
  int64_t total() const { return out_ns + in_ns + control_ns + compute_ns; }
};

// Of one transfer.
int64_t bulk_ns(StickSpeed speed, size_t bytes);
int64_t control_ns();
// Of a run on the chip; `macs` multiply-accumulates at `megahertz`.
int64_t compute_ns(int64_t macs, int megahertz);

}  // namespace edgetwin::edgetpu
