// RESIZE_BILINEAR by the kernels: which rule is which kernel, and the weights as these take them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "kernels/core/aligned.h"
#include "kernels/elements/resize.h"
#include "ops/core/common.h"
#include "ops/core/kernel.h"
#include "ops/window/resize_axis.h"
#include "ops/window/resize_clear.h"
#include "ops/window/resize_windows.h"
#include "tensor/window.h"

namespace edgetwin::ops {

// The rules that kernels/core/resize_loops.h computes, with what they are made of there.
template <class Rule>
struct FastResize {
  static constexpr bool kExists = false;
};
template <numerics::Requantization R>
struct FastResize<numerics::tflite::ResizeBilinear<int8_t, R>> {
  static constexpr bool kExists = true;
  static constexpr bool kHalfUp = R == numerics::Requantization::single_rounding;
  static constexpr int kOneBits = 10;
  using Weight = int32_t;
  static auto rows(const kernels::ResizeTable& table) { return table.bytes; }
  static auto narrow_rows(const kernels::ResizeTable& table) { return table.narrow_bytes; }
};
template <numerics::Requantization R>
struct FastResize<numerics::tflite::ResizeBilinear<uint8_t, R>> {
  static constexpr bool kExists = true;
  static constexpr bool kHalfUp = false;
  using Weight = float;
  static auto rows(const kernels::ResizeTable& table) { return table.unsigned_bytes; }
  static auto narrow_rows(const kernels::ResizeTable& table) { return table.narrow_unsigned_bytes; }
};
template <class T>
struct FastResize<numerics::edgetpu::ResizeBilinear<T>> {
  static constexpr bool kExists = true;
  static constexpr bool kHalfUp = false;  // to even
  static constexpr int kOneBits = 7;
  using Weight = int32_t;
  static auto rows(const kernels::ResizeTable& table) {
    if constexpr (std::is_same_v<T, int8_t>) {
      return table.edgetpu_bytes;
    } else {
      return table.edgetpu_unsigned_bytes;
    }
  }
  static auto narrow_rows(const kernels::ResizeTable& table) {
    if constexpr (std::is_same_v<T, int8_t>) {
      return table.narrow_edgetpu_bytes;
    } else {
      return table.narrow_edgetpu_unsigned_bytes;
    }
  }
};

// `run` takes rows whose sums are of the type Sum.
template <class T, class Rule, class Sum>
Kernel integer_kernel(void (*run)(const kernels::ResizeRows<T, Sum>&), const Window2D& g,
                      const BetweenAxis<Rule>& rows, const BetweenAxis<Rule>& columns,
                      ResizeBits bits) {
  std::vector<Sum> weights;
  for (const auto& b : rows) {
    weights.push_back(weight_of<Sum>(b.high_weight, b.low_weight + b.high_weight, bits.rows));
  }
  const auto between = make_columns<Sum, Rule>(columns, g.in_c, bits.columns);
  return [g, run, bits, weights = std::move(weights), spans = spans_of<Rule>(rows), between,
          windows = make_windows(*between, g.in_c, int64_t{g.in_w} * g.in_c)](
             const Args& args) -> Status {
    const int64_t in_row = int64_t{g.in_w} * g.in_c, out_row = int64_t{g.out_w} * g.out_c;
    const auto part = [&](int64_t begin, int64_t end, int) {
      constexpr int64_t kBlock = kernels::kResizeBlock;
      std::vector<Sum> sums(static_cast<size_t>(2 * (out_row + kBlock)));
      std::vector<Sum> wide(static_cast<size_t>(in_row + kBlock));
      std::array<const T*, 2> held{};
      each_span(spans, g.out_h, begin, end, [&](int64_t n, const RowSpan& span) {
        const T* picture = args.input<T>(0) + n * g.in_h * in_row;
        run({.top = picture + span.low * in_row,
             .bottom = picture + span.high * in_row,
             .weights = weights.data() + span.begin,
             .rows = span.end - span.begin,
             .one_bits = bits.rows,
             .in_elements = in_row,
             .columns = between->data(),
             .windows = windows ? windows->data() : nullptr,
             .out_width = g.out_w,
             .channels = g.out_c,
             .sums = sums.data(),
             .held = held.data(),
             .wide = wide.data(),
             .out = args.output<T>(0) + (n * g.out_h + span.begin) * out_row,
             .shift = bits.rows + bits.columns,
             .half_up = FastResize<Rule>::kHalfUp});
      });
    };
    args.pool.parallel_for(int64_t{g.batch} * g.out_h, grain_for(out_row), part);
    return Ok{};
  };
}

template <class Rule>
Kernel float_kernel(void (*run)(const kernels::ResizeFloats&), const Window2D& g,
                    const BetweenAxis<Rule>& rows, const BetweenAxis<Rule>& columns) {
  const int64_t in_row = int64_t{g.in_w} * g.in_c, out_row = int64_t{g.out_w} * g.out_c;
  const auto packed = make_columns<float, Rule>(columns, g.in_c, 0);
  const auto windows = make_windows(*packed, g.in_c, in_row);
  constexpr int kVector = 8;
  const int stride = (g.in_c + kVector - 1) / kVector * kVector;
  return [g, run, in_row, out_row, stride, down = rows, windows,
          between = make_columns<float, Rule>(columns, stride, 0),
          weights = std::make_shared<const ElementWeights>(
              windows ? element_weights(*packed, g.in_c) : ElementWeights{})](
             const Args& args) -> Status {
    const auto part = [&](int64_t begin, int64_t end, int) {
      constexpr auto kBlock = static_cast<size_t>(kernels::kResizeBlock);
      const size_t in_size = static_cast<size_t>(g.in_w) * static_cast<size_t>(stride) + kBlock;
      const size_t out_size = static_cast<size_t>(out_row) + kBlock;
      const kernels::AlignedArray<float> sums(2 * in_size);
      const kernels::AlignedArray<float> pixels(windows ? 4 * out_size : 0);
      std::vector<float> wide(out_size);
      std::array<const uint8_t*, 2> held{};
      for (int64_t row = begin; row < end; ++row) {
        const uint8_t* picture = args.input<uint8_t>(0) + row / g.out_h * g.in_h * in_row;
        const auto& y = down[static_cast<size_t>(row % g.out_h)];
        run({.top = picture + y.low * in_row,
             .bottom = picture + y.high * in_row,
             .top_weight = y.low_weight,
             .bottom_weight = y.high_weight,
             .in_elements = in_row,
             .columns = between->data(),
             .out_width = g.out_w,
             .channels = g.out_c,
             .stride = stride,
             .sums = sums.data(),
             .wide = wide.data(),
             .out = args.output<uint8_t>(0) + row * out_row,
             .windows = windows ? windows->data() : nullptr,
             .low_weights = weights->low.data(),
             .high_weights = weights->high.data(),
             .pixels = pixels.data(),
             .held = held.data()});
      }
    };
    args.pool.parallel_for(int64_t{g.batch} * g.out_h, grain_for(out_row), part);
    return Ok{};
  };
}

// Null: these weights are for the plain walk.
template <class T, class Rule>
Kernel fast_resize(const kernels::ResizeTable& table, const Window2D& g,
                   const BetweenAxis<Rule>& rows, const BetweenAxis<Rule>& columns) {
  using Fast = FastResize<Rule>;
  const BetweenAxis<Rule> down = with_plain_edges<Rule>(rows),
                          across = with_plain_edges<Rule>(columns);
  const bool proper = is_between<Rule>(down) && is_between<Rule>(across);
  constexpr bool is_float = std::is_same_v<typename Fast::Weight, float>;
  const ResizeBits bits{bits_of<Rule>(is_float ? rows : down),
                        bits_of<Rule>(is_float ? columns : across)};
  // Products of pairs of bytes take unsigned ones with weights below 2^7.
  const bool in_pairs = std::is_signed_v<T> || bits.columns < 7;
  if (proper && bits.rows + bits.columns <= 8 && in_pairs) {
    return integer_kernel<T, Rule>(Fast::narrow_rows(table), g, down, across, bits);
  }
  if constexpr (is_float) {
    // Products and sums have 22 bits at most, and single precision rounds none.
    if (proper && bits.rows < 8 && bits.columns < 8) {
      return integer_kernel<T, Rule>(table.exact_unsigned_bytes, g, down, across, bits);
    }
    if (table.clear_unsigned_bytes != nullptr && proper && is_clear<Rule>(rows, columns)) {
      return clear_kernel<Rule>(table.clear_unsigned_bytes, g, rows, columns);
    }
    return float_kernel<Rule>(Fast::rows(table), g, rows, columns);
  } else {
    if (!proper) return {};
    const ResizeBits one{Fast::kOneBits, Fast::kOneBits};
    return integer_kernel<T, Rule>(Fast::rows(table), g, down, across, one);
  }
}

}  // namespace edgetwin::ops
