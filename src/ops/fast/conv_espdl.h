// Fast kernels for ESP-DL's sums. A chip's lanes saturate; where weights, bias and the range of the
// input prove that no sum can leave them, exact kernels give the same bits. The other channels of
// an ESP32-S3 go through kernels that saturate after every product, as its lanes do.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "numerics/espdl/accumulate.h"
#include "numerics/rules.h"
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

// Fill run, scratch_bytes and path of `prepared` and return true if kernels take the layer. `left`
// are channels of which the kernels make nothing, as their sums or shifts leave 32 bits: the caller
// computes them afterwards.
bool make_fast_shift8(const OpContext& c, const ShiftSums& sums, const Window2D& window,
                      bool depthwise, Prepared& prepared, std::vector<int>& left);
bool make_fast_shift16(const OpContext& c, const ShiftSums& sums, const Window2D& window,
                       bool depthwise, Prepared& prepared);

// Some output channels by the rule itself, in the order of the plain walk.
template <class Rule>
void sum_channels(const Window2D& g, bool depthwise, const Rule& rule,
                  const std::vector<int>& channels, const Args& args, int64_t begin, int64_t end) {
  const auto* x = args.input<typename Rule::In>(0);
  const auto* w = args.input<typename Rule::Weight>(1);
  auto* y = args.output<typename Rule::Out>(0);
  const int taps = g.kernel_h * g.kernel_w, multiplier = std::max(1, g.out_c / g.in_c);
  for (int64_t index = begin * g.out_w; index < end * g.out_w; ++index) {
    const int64_t row = index / g.out_w;
    for (const int o : channels) {
      auto acc = rule.start(o);
      for (int t = 0; t < taps; ++t) {
        const int iy = g.row(static_cast<int>(row % g.out_h), t / g.kernel_w);
        const int ix = g.column(static_cast<int>(index % g.out_w), t % g.kernel_w);
        if (!g.inside(iy, ix)) continue;
        const auto* in = x + ((row / g.out_h * g.in_h + iy) * g.in_w + ix) * g.in_c;
        if (depthwise) {
          acc = rule.mac(acc, in[o / multiplier], w[int64_t{t} * g.out_c + o], o);
        } else {
          const auto* weights = w + (int64_t{o} * taps + t) * g.in_c;
          for (int k = 0; k < g.in_c; ++k) acc = rule.mac(acc, in[k], weights[k], o);
        }
        acc = numerics::end_of_tap(rule, acc, o);
      }
      y[index * g.out_c + o] = rule.finish(acc, o);
    }
  }
}

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
  if constexpr (sizeof(T) == 1) {
    std::vector<int> left;
    if (!make_fast_shift8(c, sums, window, depthwise, prepared, left)) return false;
    if (left.empty()) return true;
    prepared.path += ", " + std::to_string(left.size()) + " channels plain";
    prepared.run = [fast = std::move(prepared.run), window, depthwise, rule,
                    left = std::move(left)](const Args& args) -> Status {
      EDGETWIN_TRY(fast(args));
      args.pool.parallel_for(int64_t{window.batch} * window.out_h, 1,
                             [&](int64_t begin, int64_t end, int) {
                               sum_channels(window, depthwise, rule, left, args, begin, end);
                             });
      return Ok{};
    };
    return true;
  }
  return make_fast_shift16(c, sums, window, depthwise, prepared);
}

}  // namespace edgetwin::ops
