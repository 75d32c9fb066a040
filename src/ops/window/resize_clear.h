// RESIZE_BILINEAR in single precision by the kernel for weights whose results are rarely in doubt
// (kernels/x86/resize_singles.h).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include "kernels/core/aligned.h"
#include "ops/core/common.h"
#include "ops/core/kernel.h"
#include "ops/window/resize_axis.h"
#include "ops/window/resize_windows.h"
#include "tensor/window.h"

namespace edgetwin::ops {

// Whether of random pixels less than one result in 200 is so near to a border between two that the
// order of the sums decides. Weights that are fractions of small even numbers have more: 64 to 224
// pixels (fourteenths) one in 45.
template <class Rule>
bool is_clear(const BetweenAxis<Rule>& rows, const BetweenAxis<Rule>& columns) {
  constexpr int kSamples = 4096;
  constexpr double kDoubt = 1.0 / 4096;
  uint32_t state = 1;
  const auto next = [&state](size_t below) {
    state = state * 1664525U + 1013904223U;
    return static_cast<size_t>(state >> 8U) % below;
  };
  int near = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double down = static_cast<double>(rows[next(rows.size())].high_weight);
    const double across = static_cast<double>(columns[next(columns.size())].high_weight);
    const std::array<size_t, 4> pixels = {next(256), next(256), next(256), next(256)};
    const auto row = [&](size_t at) {
      return static_cast<double>(pixels[at]) * (1 - across) +
             static_cast<double>(pixels[at + 1]) * across;
    };
    const double sum = row(0) * (1 - down) + row(2) * down + 0.5;
    const double over = sum - std::floor(sum);
    if (std::min(over, 1 - over) <= kDoubt) ++near;
  }
  return near < kSamples / 200;
}

template <class Rule>
Kernel clear_kernel(void (*run)(const kernels::ResizeSingles&), const Window2D& g,
                    const BetweenAxis<Rule>& rows, const BetweenAxis<Rule>& columns) {
  const int64_t in_row = int64_t{g.in_w} * g.in_c, out_row = int64_t{g.out_w} * g.out_c;
  const auto between = make_columns<float, Rule>(columns, g.in_c, 0);
  const auto windows = make_windows(*between, g.in_c, in_row);
  return [g, run, in_row, out_row, spans = spans_of<Rule>(rows), windows, between,
          down = make_columns<float, Rule>(rows, 1, 0),
          weights = std::make_shared<const ElementWeights>(
              windows ? element_weights(*between, g.in_c) : ElementWeights{})](
             const Args& args) -> Status {
    const auto part = [&](int64_t begin, int64_t end, int) {
      constexpr int64_t kBlock = kernels::kResizeBlock;
      const kernels::AlignedArray<float> sums(static_cast<size_t>(2 * (out_row + kBlock)));
      const kernels::AlignedArray<float> wide(static_cast<size_t>(in_row + kBlock));
      std::array<const uint8_t*, 2> held{};
      each_span(spans, g.out_h, begin, end, [&](int64_t n, const RowSpan& span) {
        const uint8_t* picture = args.input<uint8_t>(0) + n * g.in_h * in_row;
        run({.top = picture + span.low * in_row,
             .bottom = picture + span.high * in_row,
             .down = down->data() + span.begin,
             .rows = span.end - span.begin,
             .in_elements = in_row,
             .columns = between->data(),
             .windows = windows ? windows->data() : nullptr,
             .high_weights = weights->high.data(),
             .out_width = g.out_w,
             .channels = g.out_c,
             .sums = sums.data(),
             .held = held.data(),
             .wide = wide.data(),
             .out = args.output<uint8_t>(0) + (n * g.out_h + span.begin) * out_row});
      });
    };
    args.pool.parallel_for(int64_t{g.batch} * g.out_h, grain_for(out_row), part);
    return Ok{};
  };
}

}  // namespace edgetwin::ops
