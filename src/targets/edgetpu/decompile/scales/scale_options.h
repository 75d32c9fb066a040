#pragma once

#include <cstdint>

namespace edgetwin::edgetpu {

struct ScaleOptions {
  // Mantissas tried for each group of tensors whose scales hang together.
  uint32_t tries = 1U << 23U;
  uint32_t patience = 64;  // times as many scales may be tried in all before a search gives up
  int threads = 1;         // their number changes no scale
};

}  // namespace edgetwin::edgetpu
