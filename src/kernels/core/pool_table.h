// What an instruction set supplies for windows over bytes: the largest element and the sum of each
// channel. Included by files for one instruction set: nothing of the C++ library here (table8.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

// `count` pixels, at least 1, of `channels` bytes each.
struct PoolTaps {
  const uint8_t* const* pixels = nullptr;
  std::ptrdiff_t count = 0;
  std::ptrdiff_t channels = 0;
  bool is_signed = false;
};

struct PoolTable {
  void (*largest)(const PoolTaps& taps, uint8_t* out);
  void (*sums)(const PoolTaps& taps, int32_t* out);  // of less than 2^23 pixels
};

}  // namespace edgetwin::kernels
