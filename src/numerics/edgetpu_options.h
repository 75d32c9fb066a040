// What recorded outputs of Edge TPUs leave open, as switches: `--numerics edgetpu:key=value,…`.
// The defaults are what fits all that is known; docs/numerics.md, chapter 4, has the evidence.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "numerics/rounding.h"

namespace edgetwin::numerics {

// How SOFTMAX is computed.
enum class EdgetpuSoftmax : uint8_t {
  tensor,  // by the steps of the chip's program, with words of 16 bits between them
  exact,   // exponentials to the nearest of 16 bits, divided by their sum exactly
  scalar   // single precision, as the older compiler's scalar program has it
};

struct EdgetpuOptions {
  Rounding ties = Rounding::half_even;  // of the float result
  bool zero_point_first = false;        // round(f + zp) instead of round(f) + zp
  bool truncate_large = false;          // float32(sum) cut off where it is not exact
  bool saturate = false;                // sums beyond 32 bits saturate instead of wrapping
  EdgetpuSoftmax softmax = EdgetpuSoftmax::tensor;

  bool operator==(const EdgetpuOptions&) const = default;
  bool plain_ties() const { return ties == Rounding::half_even && !zero_point_first; }
};

// How often the data of a run met what is open. Counted by all threads, through count().
struct EdgetpuOpen {
  int64_t ties = 0;      // results exactly between two integers
  int64_t large = 0;     // sums of 2^24 and more that are no float, inside the clamp
  int64_t overflow = 0;  // sums beyond 32 bits
  int64_t softmax = 0;   // results that would be another byte if it were exact

  static void count(int64_t& counter) {
    std::atomic_ref<int64_t>(counter).fetch_add(1, std::memory_order_relaxed);
  }
};

}  // namespace edgetwin::numerics
