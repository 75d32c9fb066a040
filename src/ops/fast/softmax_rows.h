// Fast rows of SOFTMAX.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>

#include "numerics/edgetpu/softmax.h"
#include "numerics/tflite/softmax.h"
#include "ops/fast/rows.h"

namespace edgetwin::ops {

template <class In, class Out, numerics::Requantization R>
struct FastRow<numerics::tflite::Softmax<In, Out, R>> {
  using Rule = numerics::tflite::Softmax<In, Out, R>;
  RowKernels kernels;
  std::array<uint32_t, 256> exponentials{}, addends{};

  static std::optional<FastRow> make(const KernelOptions& options, const Rule& rule) {
    const auto found = RowKernels::make(options);
    if (!found) return std::nullopt;
    FastRow fast{*found};
    // Those below the least difference are 0, which the rule leaves out.
    for (size_t d = 0; d < fast.exponentials.size(); ++d) {
      const int32_t e = rule.exponentials[d];
      fast.exponentials[d] = static_cast<uint32_t>(e);
      fast.addends[d] =
          static_cast<uint32_t>(numerics::rounding_divide_by_pot(e, Rule::kAccumulationBits));
    }
    return fast;
  }

  // Rows one after the other.
  void rows(const In* x, int64_t count, int64_t n, Out* y) const {
    if (n <= kernels::kSoftmaxLongest) {
      const kernels::SoftmaxRows function{exponentials.data(), Rule::kOutBits,
                                          std::is_signed_v<In>};
      return kernels.table->softmax(function, reinterpret_cast<const uint8_t*>(x), count, n,
                                    reinterpret_cast<uint8_t*>(y));
    }
    for (int64_t i = 0; i < count; ++i) tabled_row(x + i * n, n, y + i * n);
  }
  void row(const In* x, int64_t n, Out* y) const { rows(x, 1, n, y); }

 private:
  void tabled_row(const In* x, int64_t n, Out* y) const {
    const int32_t largest = kernels.largest(x, n);
    int64_t sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += addends[static_cast<size_t>(largest - x[i])];
    constexpr Out kLowest = std::numeric_limits<Out>::min();
    const auto part = Rule::part_of(sum);
    if (!part) return std::fill(y, y + n, kLowest);
    const kernels::RowPortion portion{.factor = static_cast<uint32_t>(part->factor),
                                      .shift = part->shift,
                                      .most = (1 << Rule::kOutBits) - 1,
                                      .lowest = kLowest};
    std::array<int32_t, 256> results;
    kernels.table->portions(portion, exponentials.data(), 256, results.data());
    std::array<Out, 256> narrow;
    for (size_t d = 0; d < narrow.size(); ++d) narrow[d] = static_cast<Out>(results[d]);
    look_up_row<In, Out>(by_element<In>(narrow, largest), x, n, y, kernels.isa);
  }
};

template <class T>
struct FastRow<numerics::edgetpu::Softmax<T>> {
  using Rule = numerics::edgetpu::Softmax<T>;
  static constexpr uint8_t kFlip = numerics::edgetpu::kToUnsigned<T>;
  RowKernels kernels;
  Rule rule;
  std::array<uint64_t, 256> addends{};  // of the nearest exponentials << 32, and of the chip's
  kernels::ChipSoftmax short_rows{};    // without the addends
  // Both from distance 255 to 0, and nothing for what would be above the largest element.
  std::array<int32_t, 512> exponentials{}, nearest{};
  size_t distances = 0;  // from which on both are 0

  // The older compiler's program sums floats in the order of the elements.
  static std::optional<FastRow> make(const KernelOptions& options, const Rule& rule) {
    const auto found = RowKernels::make(options);
    if (!found || rule.kind == numerics::EdgetpuSoftmax::scalar) return std::nullopt;
    if (!rule.tail.options.plain_ties() || rule.tail.options.truncate_large) return std::nullopt;
    if (rule.exponentials[0] < 1) return std::nullopt;
    FastRow fast{*found, rule};
    for (size_t d = 0; d < fast.addends.size(); ++d) {
      const int32_t chip = rule.exponentials[d], nearest = rule.nearest[d];
      fast.addends[d] = static_cast<uint64_t>(nearest) << 32 | static_cast<uint32_t>(chip);
      fast.exponentials[255 - d] = chip;
      fast.nearest[255 - d] = nearest;
      if (chip != 0 || nearest != 0) fast.distances = d + 1;
    }
    fast.short_rows = fast.short_row_function();
    return fast;
  }

  // Rows one after the other. Threads share the counters of what is open.
  void rows(const T* x, int64_t count, int64_t n, T* y) const {
    if (n > kernels::kChipRowLongest) {
      for (int64_t i = 0; i < count; ++i) tabled_row(x + i * n, n, y + i * n);
      return;
    }
    constexpr int64_t kRows = 1 << 20;  // of fewer than 2^31 elements
    kernels::ChipSoftmax function = short_rows;
    function.exponentials = addends.data();
    for (int64_t i = 0; i < count; i += kRows) {
      const auto* from = reinterpret_cast<const uint8_t*>(x + i * n);
      auto* to = reinterpret_cast<uint8_t*>(y + i * n);
      add_open(kernels.table->chip_softmax(function, from, std::min(kRows, count - i), n, to));
    }
  }
  void row(const T* x, int64_t n, T* y) const { rows(x, 1, n, y); }

 private:
  // Exponentials are at most 65535 and reciprocals 32768: no product leaves 31 bits.
  kernels::ChipPortion portion_of(int64_t sum, int64_t sum_nearest) const {
    const auto whole = rule.whole_of(sum, sum_nearest);
    return {.reciprocal = whole.reciprocal,
            .multiplier = Rule::kLast,
            .low = rule.tail.clamp.low,
            .high = rule.tail.clamp.high,
            .zero = rule.tail.zero,
            .all = whole.all,
            .exact = rule.kind == numerics::EdgetpuSoftmax::exact,
            .flip = kFlip};
  }

  kernels::ChipSoftmax short_row_function() const {
    using numerics::edgetpu::kInverseRootTable;
    const kernels::ChipPortion last = portion_of(rule.exponentials[0], rule.nearest[0]);
    kernels::ChipSoftmax f{.per_one = Rule::kPerOne,
                           .largest_reciprocal = Rule::kLargestReciprocal,
                           .multiplier = last.multiplier,
                           .low = last.low,
                           .high = last.high,
                           .zero = last.zero,
                           .exact = last.exact,
                           .flip = last.flip};
    for (size_t p = 0; p < kInverseRootTable.kPieces; ++p) {
      for (size_t k = 0; k < kInverseRootTable.kCoefficients; ++k) {
        f.coefficients[k][p] = kInverseRootTable.piece[p][k];
      }
    }
    std::ranges::copy(kInverseRootTable.bound, f.bounds);
    return f;
  }

  // Elements are counted by their numbers: what belongs to each number is computed once. The
  // output's zero point is 0, the byte of all that is too far from the largest element.
  void tabled_row(const T* x, int64_t n, T* y) const {
    const auto largest = static_cast<size_t>(kernels.largest(x, n) + kFlip);
    const size_t first = largest + 1 < distances ? 0 : largest + 1 - distances;
    alignas(32) std::array<uint32_t, 256> counts{};
    const kernels::ChipRow row{.exponentials = exponentials.data() + 255 - largest,
                               .nearest = nearest.data() + 255 - largest,
                               .counts = counts.data(),
                               .begin = static_cast<std::ptrdiff_t>(first & ~size_t{31}),
                               .end = static_cast<std::ptrdiff_t>((largest | 31) + 1)};
    const auto* from = reinterpret_cast<const uint8_t*>(x);
    int64_t sum = 0, sum_nearest = 0;
    for (int64_t at = 0; at < n; at += kernels::kChipPart) {
      const auto count = std::min<int64_t>(n - at, kernels::kChipPart);
      const kernels::ChipSums part = kernels.table->chip_sums(row, from + at, count, kFlip);
      sum += part.chip;
      sum_nearest += part.nearest;
    }
    std::array<uint8_t, 256> results;
    results.fill(kFlip);
    add_open(kernels.table->chip_results(portion_of(sum, sum_nearest), row, results.data()));
    kernels::lookup8(results.data(), from, reinterpret_cast<uint8_t*>(y), static_cast<size_t>(n),
                     kernels.isa);
  }

  void add_open(const kernels::ChipCounts& open) const {
    const auto add = [](int64_t& counter, uint64_t times) {
      if (times == 0) return;
      std::atomic_ref<int64_t>(counter).fetch_add(static_cast<int64_t>(times),
                                                  std::memory_order_relaxed);
    };
    add(rule.tail.open->ties, open.ties);
    add(rule.tail.open->large, open.large);
    add(rule.tail.open->softmax, open.differ);
  }
};

}  // namespace edgetwin::ops
