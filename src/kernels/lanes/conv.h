// 8-bit convolutions in lanes of 20 bits that saturate after every multiply-accumulate
// (specification 4.3: S3, S8), and how far that is from the exact sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/parallel.h"
#include "kernels/core/isa.h"
#include "kernels/core/tails.h"
#include "tensor/window.h"

namespace edgetwin::kernels {

constexpr int32_t kLaneMin = -(1 << 19), kLaneMax = (1 << 19) - 1;

// Layouts are those of conv_i8.h. A lane begins with its start value, adds products in the order
// kernel row, kernel column, input channel, and is limited to kLaneMin..kLaneMax after each; taps
// outside the picture are skipped. Then comes the finish, which rounds half up.
struct LaneSpec {
  Window2D window;
  bool depthwise = false;  // out_c is a multiple of in_c
  const int8_t* weights = nullptr;
  const int32_t* lane_start = nullptr;  // out_c entries within kLaneMin..kLaneMax
  const int32_t* wide_start = nullptr;  // out_c entries: what the exact sum begins with
  ShiftTail tail;                       // half_up; shifts within 0..31
  // The output channels to compute, all others of a pixel are left as they are. Depthwise: all.
  int channel_begin = 0, channel_end = 0;
  Isa isa = best_isa();
};

struct LanePlan;

// A layer made ready to run; see PackedConv.
class LaneConv {
 public:
  // Null for inconsistent specs. Where the instruction set has no kernel, or exact sums could reach
  // 27 bits, it runs the definition in plain code.
  static std::unique_ptr<LaneConv> make(const LaneSpec& spec);
  ~LaneConv();

  // Memory that run() needs; no alignment is asked for.
  std::size_t scratch_bytes(int threads) const;

  // Returns how many of the outputs differ from the finish of the exact sum. Neither that nor the
  // result depends on the size of the pool. `in` and `out` must not overlap.
  int64_t run(const int8_t* in, int8_t* out, std::byte* scratch, ThreadPool& pool) const;

  // For reports, such as "avx512-vnni lanes".
  const char* path() const;

 private:
  explicit LaneConv(std::unique_ptr<LanePlan> plan);
  std::unique_ptr<LanePlan> plan_;
};

}  // namespace edgetwin::kernels
