#pragma once

#include <cstdint>

namespace edgetwin::edgetpu {

struct ScaleOptions {
  // Mantissas tried for each group of tensors whose scales hang together.
  uint32_t tries = 1U << 23U;
  int threads = 1;  // their number changes no scale
};

}  // namespace edgetwin::edgetpu
