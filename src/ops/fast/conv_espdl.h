// Fast kernels for ESP-DL's sums. A chip's lanes saturate; where weights, bias and the range of the
// input prove that no sum can leave them, exact kernels give the same bits. The other channels of
// an ESP32-S3 go through kernels that saturate after every product, as its lanes do.
#pragma once

#include "numerics/espdl/accumulate.h"
#include "ops/core/kernel.h"
#include "tensor/window.h"

namespace edgetwin::ops {

// The integers of an espdl::Accumulate, without its type.
struct ShiftSums {
  const std::vector<int64_t>* lane_bias = nullptr;  // as the unit loads it
  const std::vector<int64_t>* exact_bias = nullptr;
  const std::vector<int>* shifts = nullptr;
  numerics::Rounding rounding{};
  bool relu = false;
  int64_t lanes = 0;    // channels [0, lanes) are in lanes of lane_bits, the others in 40 bits
  int lane_bits = 0;    // 0: sums do not saturate
  bool scalar = false;  // channels beyond the lanes saturate at 40 bits
  std::shared_ptr<std::atomic<int64_t>> differing;
};

// Fill run, scratch_bytes and path of `prepared` and return true if kernels take the layer.
bool make_fast_shift8(const OpContext& c, const ShiftSums& sums, const Window2D& window,
                      bool depthwise, Prepared& prepared);
bool make_fast_shift16(const OpContext& c, const ShiftSums& sums, const Window2D& window,
                       bool depthwise, Prepared& prepared);

// One product of computed matrices, [rows][depth] by columns [columns][depth].
template <class T>
struct MatrixProduct {
  const T* a = nullptr;
  const T* b = nullptr;
  T* out = nullptr;  // [rows][columns]
  int rows = 0, depth = 0, columns = 0;
};
// Prepares kernels for these very numbers and runs them. False, and nothing done, where there are
// none.
bool run_fast_shift(const ShiftSums& sums, const std::string& isa,
                    const MatrixProduct<int8_t>& product, ThreadPool& pool);
bool run_fast_shift(const ShiftSums& sums, const std::string& isa,
                    const MatrixProduct<int16_t>& product, ThreadPool& pool);

template <class T, class Unit>
ShiftSums shift_sums(const numerics::espdl::Accumulate<T, Unit>& rule) {
  using numerics::espdl::sum_width;
  return {&rule.bias,
          &rule.exact,
          &rule.shifts,
          Unit::kRounding,
          rule.relu,
          rule.lanes,
          sum_width<T, Unit>(true).bits,
          sum_width<T, Unit>(false).bits != 0,
          rule.differing};
}

template <class T, class Unit>
bool make_fast_conv(const OpContext& c, const numerics::espdl::Accumulate<T, Unit>& rule,
                    const Window2D& window, bool depthwise, Prepared& prepared) {
  const ShiftSums sums = shift_sums(rule);
  if constexpr (sizeof(T) == 1) return make_fast_shift8(c, sums, window, depthwise, prepared);
  return make_fast_shift16(c, sums, window, depthwise, prepared);
}

}  // namespace edgetwin::ops
