// Fast rows of SOFTMAX.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
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
  using Words = std::array<int32_t, 256>;
  static constexpr size_t kCounted = 2040;  // eight times what a byte counts to
  RowKernels kernels;
  Rule rule;
  std::array<uint64_t, 256> addends{};  // of the nearest exponentials << 32, and of the chip's

  // The older compiler's program sums floats in the order of the elements.
  static std::optional<FastRow> make(const KernelOptions& options, const Rule& rule) {
    const auto found = RowKernels::make(options);
    if (!found || rule.kind == numerics::EdgetpuSoftmax::scalar) return std::nullopt;
    if (!rule.tail.options.plain_ties() || rule.tail.options.truncate_large) return std::nullopt;
    if (rule.exponentials[0] < 1) return std::nullopt;
    FastRow fast{*found, rule};
    for (size_t d = 0; d < fast.addends.size(); ++d) {
      fast.addends[d] = static_cast<uint64_t>(rule.nearest[d]) << 32 |
                        static_cast<uint32_t>(rule.exponentials[d]);
    }
    return fast;
  }

  // Rows one after the other. Threads share the counters of what is open.
  void rows(const T* x, int64_t count, int64_t n, T* y) const {
    if (n > kernels::kChipRowLongest) {
      for (int64_t i = 0; i < count; ++i) tabled_row(x + i * n, n, y + i * n);
      return;
    }
    constexpr int64_t kRows = 1 << 20;  // of fewer than 2^31 elements
    const kernels::ChipSoftmax function = short_rows();
    for (int64_t i = 0; i < count; i += kRows) {
      const auto* from = reinterpret_cast<const uint8_t*>(x + i * n);
      auto* to = reinterpret_cast<uint8_t*>(y + i * n);
      add_open(kernels.table->chip_softmax(function, from, std::min(kRows, count - i), n, to));
    }
  }
  void row(const T* x, int64_t n, T* y) const { rows(x, 1, n, y); }

 private:
  T byte_of(int32_t portion) const {
    const int32_t byte = rule.kind == numerics::EdgetpuSoftmax::exact ? portion >> 8 : portion;
    return static_cast<T>((byte & 255) - numerics::edgetpu::kToUnsigned<T>);
  }
  // Exponentials are at most 65535 and reciprocals 32768: no product leaves 31 bits.
  kernels::ChipPortion portion_of(const T* x, int64_t n, int32_t largest) const {
    constexpr int64_t kPart = 65536;  // of so many the sums have 32 bits
    int64_t sum = 0, sum_nearest = 0;
    for (int64_t at = 0; at < n; at += kPart) {
      std::array<uint64_t, 4> both{};  // sums side by side: none waits for the others
      const int64_t end = std::min(n, at + kPart);
      int64_t i = at;
      const auto add = [&](size_t k) {
        both[k] += addends[static_cast<size_t>(largest - x[i + static_cast<int64_t>(k)])];
      };
      for (; i + 4 <= end; i += 4) add(0), add(1), add(2), add(3);
      for (; i < end; ++i) add(0);
      const uint64_t all = both[0] + both[1] + both[2] + both[3];
      sum += static_cast<uint32_t>(all);
      sum_nearest += static_cast<int64_t>(all >> 32);
    }
    return portion_of(sum, sum_nearest);
  }
  kernels::ChipPortion portion_of(int64_t sum, int64_t sum_nearest) const {
    const auto whole = rule.whole_of(sum, sum_nearest);
    return {.reciprocal = whole.reciprocal,
            .multiplier = Rule::kLast,
            .low = rule.tail.clamp.low,
            .high = rule.tail.clamp.high,
            .zero = rule.tail.zero,
            .all = whole.all,
            .exact = rule.kind == numerics::EdgetpuSoftmax::exact,
            .flip = static_cast<uint8_t>(numerics::edgetpu::kToUnsigned<T>)};
  }

  kernels::ChipSoftmax short_rows() const {
    using numerics::edgetpu::kInverseRootTable;
    const kernels::ChipPortion last = portion_of(rule.exponentials[0], rule.nearest[0]);
    kernels::ChipSoftmax f{.exponentials = addends.data(),
                           .per_one = Rule::kPerOne,
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

  void tabled_row(const T* x, int64_t n, T* y) const {
    const int32_t largest = kernels.largest(x, n);
    Words portions;
    kernels.table->chip_portions(portion_of(x, n, largest), rule.exponentials.data(),
                                 rule.nearest.data(), 256, portions.data());
    std::array<T, 256> results;
    std::array<uint8_t, 256> open;
    for (size_t d = 0; d < results.size(); ++d) {
      results[d] = byte_of(portions[d]);
      open[d] = static_cast<uint8_t>(portions[d] >> 16);
    }
    const std::array<uint8_t, 256> open_by_element = by_element<T>(open, largest);
    std::array<uint8_t, kCounted> found;
    for (int64_t at = 0; at < n; at += static_cast<int64_t>(found.size())) {
      const int64_t count = std::min<int64_t>(n - at, static_cast<int64_t>(found.size()));
      look_up_row<T, uint8_t>(open_by_element, x + at, count, found.data(), kernels.isa);
      count_open(found.data(), count);
    }
    look_up_row<T, T>(by_element<T>(results, largest), x, n, y, kernels.isa);
  }

  // What is open of `count` elements, at most kCounted: bits 0 to 2 of each. Eight are counted side
  // by side, in bytes of one number.
  void count_open(const uint8_t* open, int64_t count) const {
    constexpr uint64_t kOnes = 0x0101010101010101;
    uint64_t ties = 0, large = 0, differ = 0;
    for (int64_t i = 0; i < count; i += 8) {
      uint64_t eight = 0;
      std::memcpy(&eight, open + i, static_cast<size_t>(std::min<int64_t>(8, count - i)));
      ties += eight & kOnes;
      large += eight >> 1U & kOnes;
      differ += eight >> 2U & kOnes;
    }
    const auto sum = [](uint64_t bytes) {
      uint64_t all = 0;
      for (int i = 0; i < 64; i += 8) all += bytes >> i & 255U;
      return all;
    };
    add_open({sum(ties), sum(large), sum(differ)});
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
