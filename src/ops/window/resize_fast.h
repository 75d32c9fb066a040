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
#include "ops/window/resize_windows.h"
#include "tensor/window.h"

namespace edgetwin::ops {

template <class Rule>
using BetweenAxis = std::vector<numerics::tflite::Between<typename Rule::Weight>>;

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

// Where both pixels are the same one, it has all of the weight: the same in integers, and in floats
// that are exact. half_pixel_centers have weights below zero and above one there.
template <class Rule>
BetweenAxis<Rule> with_plain_edges(BetweenAxis<Rule> axis) {
  for (auto& b : axis) {
    if (b.low != b.high) continue;
    b.low_weight += b.high_weight;
    b.high_weight = 0;
  }
  return axis;
}

template <class Rule>
bool is_between(const BetweenAxis<Rule>& axis) {
  return std::ranges::all_of(axis,
                             [](const auto& b) { return b.low_weight >= 0 && b.high_weight >= 0; });
}

// The least b of 1 ... 7 for which all weights are multiples of 2^-b from -1 to two; 8: none is.
template <class Rule>
int bits_of(const BetweenAxis<Rule>& axis) {
  const auto is_narrow = [&axis](int bits) {
    return std::ranges::all_of(axis, [bits](const auto& b) {
      const double one = static_cast<double>(b.low_weight) + static_cast<double>(b.high_weight);
      const double high = static_cast<double>(b.high_weight) / one;
      return std::abs(high) <= 1 &&
             std::nearbyint(std::ldexp(high, bits)) == std::ldexp(high, bits);
    });
  };
  int bits = 1;
  while (bits < 8 && !is_narrow(bits)) ++bits;
  return bits;
}

// `Weight` of `one`, as the kernels count: in words, and where singles become integers, one is
// 2^bits.
template <class Weight, class From>
Weight weight_of(From from, From one, int bits) {
  constexpr bool is_counted = std::is_floating_point_v<From> && std::is_integral_v<Weight>;
  if constexpr (is_counted || std::is_same_v<Weight, int16_t>) {
    return static_cast<Weight>(
        std::ldexp(static_cast<double>(from) / static_cast<double>(one), bits));
  } else {
    return static_cast<Weight>(from);
  }
}

template <class Weight, class Rule>
auto make_columns(const BetweenAxis<Rule>& axis, int channels, int bits) {
  auto columns = std::make_shared<std::vector<kernels::ResizeColumn<Weight>>>();
  for (const auto& b : axis) {
    const auto one = b.low_weight + b.high_weight;
    columns->push_back({.low = b.low * channels,
                        .high = b.high * channels,
                        .low_weight = weight_of<Weight>(b.low_weight, one, bits),
                        .high_weight = weight_of<Weight>(b.high_weight, one, bits)});
  }
  return columns;
}

struct ResizeBits {
  int rows = 0, columns = 0;
};

// Output rows [begin, end) of a picture that lie between the same two input rows follow each other.
struct RowSpan {
  int64_t low = 0, high = 0, begin = 0, end = 0;
};

template <class Rule>
std::vector<RowSpan> spans_of(const BetweenAxis<Rule>& rows) {
  std::vector<RowSpan> spans;
  for (size_t y = 0; y < rows.size(); ++y) {
    const auto at = static_cast<int64_t>(y);
    const bool same = y > 0 && spans.back().low == rows[y].low && spans.back().high == rows[y].high;
    if (!same) spans.push_back({rows[y].low, rows[y].high, at, at});
    spans.back().end = at + 1;
  }
  return spans;
}

// Calls run(picture, span) for the output rows [begin, end) of all pictures, of `rows` each.
template <class Run>
void each_span(const std::vector<RowSpan>& spans, int64_t rows, int64_t begin, int64_t end,
               const Run& run) {
  auto next = std::ranges::partition_point(
      spans, [first = begin % rows](const RowSpan& s) { return s.end <= first; });
  while (begin < end) {
    const int64_t first = begin % rows;
    RowSpan span = *next;
    span.begin = first;
    span.end = std::min(span.end, first + end - begin);
    run(begin / rows, span);
    begin += span.end - span.begin;
    if (++next == spans.end()) next = spans.begin();
  }
}

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
    return float_kernel<Rule>(Fast::rows(table), g, rows, columns);
  } else {
    if (!proper) return {};
    const ResizeBits one{Fast::kOneBits, Fast::kOneBits};
    return integer_kernel<T, Rule>(Fast::rows(table), g, down, across, one);
  }
}

}  // namespace edgetwin::ops
