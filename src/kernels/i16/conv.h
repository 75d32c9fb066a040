// Fast 16-bit convolution, depthwise convolution and fully connected layers with the finish of
// powers of two, equal bit for bit to exact sums in 64 bits (specification 4.3).
//
// Layouts are those of conv_i8.h. Taps outside the picture are skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/parallel.h"
#include "kernels/core/isa.h"
#include "kernels/core/tails.h"
#include "tensor/window.h"

namespace edgetwin::kernels {

struct Conv16Spec {
  Window2D window;
  bool depthwise = false;  // out_c is a multiple of in_c
  const int16_t* weights = nullptr;
  const int64_t* bias = nullptr;  // out_c entries, or null for zeros
  ShiftTail tail;                 // shifts within 0..62
  Isa isa = best_isa();
};

struct Conv16Plan;

// A layer made ready to run; see PackedConv.
class PackedConv16 {
 public:
  // Null where the instruction set has no kernel for it: `plain`, unavailable, inconsistent sizes,
  // sums that could leave 62 bits, a depthwise window of more than some hundred taps.
  static std::unique_ptr<PackedConv16> make(const Conv16Spec& spec);
  ~PackedConv16();

  // Memory that run() needs; no alignment is asked for.
  std::size_t scratch_bytes(int threads) const;

  // The result does not depend on the size of the pool. `in` and `out` must not overlap.
  void run(const int16_t* in, int16_t* out, std::byte* scratch, ThreadPool& pool) const;

  // For reports, such as "avx512-vnni dense, words and bytes".
  const char* path() const;

 private:
  explicit PackedConv16(std::unique_ptr<Conv16Plan> plan);
  std::unique_ptr<Conv16Plan> plan_;
};

}  // namespace edgetwin::kernels
