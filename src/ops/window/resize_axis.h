// Rows and columns of RESIZE_BILINEAR as the kernels take them: weights, and which rows follow each
// other.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "kernels/core/resize_table.h"
#include "ops/core/common.h"

namespace edgetwin::ops {

template <class Rule>
using BetweenAxis = std::vector<numerics::tflite::Between<typename Rule::Weight>>;

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

}  // namespace edgetwin::ops
