// Fast 8-bit convolution, depthwise convolution and fully connected layers, equal bit for bit to
// the plain operators (docs/numerics.md, chapter 2), which stay the definition.
//
// Layouts: activations NHWC, dense weights [out_c, kernel_h, kernel_w, in_c], depthwise weights
// [kernel_h, kernel_w, out_c]. Taps outside the picture are skipped. A fully connected layer is a
// 1x1 convolution whose rows are pixels: fully_connected_window().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/parallel.h"
#include "kernels/core/isa.h"
#include "kernels/core/tails.h"
#include "numerics/fixed_point.h"
#include "tensor/window.h"

namespace edgetwin::kernels {

// From the 32-bit sum to the 8-bit result:
// clamp(multiply_by_quantized_multiplier(sum, multiplier) + output_zero_point, act_min, act_max).
struct AffineTail {
  // One entry per output channel, or a single one for all of them.
  std::span<const numerics::QuantizedMultiplier> multipliers;
  int32_t output_zero_point = 0;
  int32_t act_min = 0, act_max = 0;  // within the range of the output's type
  numerics::Requantization requantization = numerics::Requantization::double_rounding;
};

struct Conv8Spec {
  Window2D window;
  bool depthwise = false;    // out_c is a multiple of in_c
  bool is_unsigned = false;  // input, weights and output are uint8, else int8
  int32_t input_zero_point = 0;
  int32_t weight_zero_point = 0;
  const void* weights = nullptr;
  const int32_t* bias = nullptr;  // out_c entries, or null for zeros
  AffineTail tail;
  // Takes the place of `tail`. Input, weights and output are int8 with zero points of zero then,
  // shifts within 0..31, and no sum may leave 32 bits whatever the input: a target that would
  // saturate or wrap there needs its plain operator.
  std::optional<ShiftTail> shift_tail = std::nullopt;
  // Takes the place of `tail`. No sum may leave 32 bits: the plain operator says what is open
  // there.
  std::optional<FloatTail> float_tail = std::nullopt;
  Isa isa = best_isa();
};

// `rows` vectors of `in` elements, each to `out` elements.
Window2D fully_connected_window(int rows, int in, int out);

struct ConvPlan;

// A layer made ready to run: weights rearranged for one instruction set. It keeps nothing of the
// spec's memory. Immutable, so that one PackedConv may run in several threads at a time, each with
// its own scratch memory.
class PackedConv {
 public:
  // Null where the instruction set has no kernel for it (`plain`, unavailable, or inconsistent
  // sizes): the caller runs the plain operator then.
  static std::unique_ptr<PackedConv> make(const Conv8Spec& spec);
  ~PackedConv();

  // Memory that run() needs; no alignment is asked for.
  std::size_t scratch_bytes(int threads) const;

  // The result does not depend on the size of the pool. `in` and `out` must not overlap.
  void run(const void* in, void* out, std::byte* scratch, ThreadPool& pool) const;

  // For reports, such as "avx512-vnni pointwise".
  const char* path() const;

 private:
  explicit PackedConv(std::unique_ptr<ConvPlan> plan);
  std::unique_ptr<ConvPlan> plan_;
};

}  // namespace edgetwin::kernels
