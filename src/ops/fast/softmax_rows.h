// Fast rows of SOFTMAX.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

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
  RowKernels kernels;
  Rule rule;
  std::array<uint64_t, 256> addends{};  // of the nearest exponentials << 32, and of the chip's

  // The older compiler's program sums floats in the order of the elements.
  static std::optional<FastRow> make(const KernelOptions& options, const Rule& rule) {
    const auto found = RowKernels::make(options);
    if (!found || rule.kind == numerics::EdgetpuSoftmax::scalar) return std::nullopt;
    if (!rule.tail.options.plain_ties() || rule.tail.options.truncate_large) return std::nullopt;
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
    constexpr int64_t kCounted = 4096;  // of short rows have fewer than 2^21 elements
    uint64_t open = 0;
    for (int64_t i = 0; i < count; i += kTogether, x += kTogether * n, y += kTogether * n) {
      open += short_rows(x, std::min(kTogether, count - i), n, y);
      if (i % kCounted == kCounted - kTogether) add_open(std::exchange(open, 0));
    }
    add_open(open);
  }
  void row(const T* x, int64_t n, T* y) const { rows(x, 1, n, y); }

 private:
  static constexpr int64_t kTogether = 8;  // rows
  static constexpr uint64_t kSoftmax = uint64_t{1} << 42;

  T byte_of(int32_t portion) const {
    const int32_t byte = rule.kind == numerics::EdgetpuSoftmax::exact ? portion >> 8 : portion;
    return static_cast<T>((byte & 255) - numerics::edgetpu::kToUnsigned<T>);
  }
  // Exponentials are at most 65535 and reciprocals 32768: no product leaves 31 bits.
  kernels::ChipPortion portion_of(const T* x, int64_t n, int32_t largest) const {
    constexpr int64_t kPart = 65536;  // of so many the sums have 32 bits
    int64_t sum = 0, sum_nearest = 0;
    for (int64_t at = 0; at < n; at += kPart) {
      uint64_t both = 0;
      const int64_t end = std::min(n, at + kPart);
      for (int64_t i = at; i < end; ++i) both += addends[static_cast<size_t>(largest - x[i])];
      sum += static_cast<uint32_t>(both);
      sum_nearest += static_cast<int64_t>(both >> 32);
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

  // A row's pairs, filled up with zeros to a multiple of 8, and their sum.
  uint64_t pairs_of(const T* x, int64_t n, uint64_t* pairs) const {
    const int32_t largest = kernels.largest(x, n);
    uint64_t both = 0;
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t pair = addends[static_cast<size_t>(largest - x[i])];
      pairs[i] = pair;
      both += pair;
    }
    for (int64_t i = n; i % 8 != 0; ++i) pairs[i] = 0;
    return both;
  }

  // Sums of some rows first: the steps of a row have to wait for each other. Returns how often
  // elements have what is open, 21 bits for each kind.
  uint64_t short_rows(const T* x, int64_t count, int64_t n, T* y) const {
    const int64_t apart = (n + 7) / 8 * 8;
    std::array<uint64_t, kTogether * kernels::kChipRowLongest> pairs;
    std::array<uint64_t, kTogether> sums;
    for (int64_t r = 0; r < count; ++r) {
      sums[static_cast<size_t>(r)] = pairs_of(x + r * n, n, pairs.data() + r * apart);
    }
    constexpr uint32_t kBits = (1 << kernels::kChipLarge) - 1;
    uint64_t open = 0;
    for (int64_t r = 0; r < count; ++r) {
      const uint64_t both = sums[static_cast<size_t>(r)];
      const kernels::ChipPortion portion =
          portion_of(static_cast<uint32_t>(both), static_cast<int64_t>(both >> 32));
      const uint32_t found = kernels.table->chip_row(portion, pairs.data() + r * apart, n,
                                                     reinterpret_cast<uint8_t*>(y + r * n));
      open += (found & kBits) | uint64_t{found >> kernels::kChipLarge & kBits} << 21 |
              (found >> kernels::kChipDiffer) * kSoftmax;
    }
    return open;
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
    std::array<uint8_t, 4096> found;
    for (int64_t at = 0; at < n; at += static_cast<int64_t>(found.size())) {
      const int64_t count = std::min<int64_t>(n - at, static_cast<int64_t>(found.size()));
      look_up_row<T, uint8_t>(open_by_element, x + at, count, found.data(), kernels.isa);
      count_open(found.data(), count);
    }
    look_up_row<T, T>(by_element<T>(results, largest), x, n, y, kernels.isa);
  }

  // What is open of `count` elements, at most 4096: bits 0 to 2 of each.
  void count_open(const uint8_t* open, int64_t count) const {
    uint32_t ties = 0, large = 0, softmax = 0;
    for (int64_t i = 0; i < count; ++i) {
      ties += open[i] & 1U;
      large += open[i] >> 1U & 1U;
      softmax += open[i] >> 2U & 1U;
    }
    add_open(ties | uint64_t{large} << 21 | softmax * kSoftmax);
  }
  void add_open(uint64_t open) const {
    constexpr uint64_t kBits = (1 << 21) - 1;
    const auto add = [](int64_t& counter, uint64_t times) {
      if (times == 0) return;
      std::atomic_ref<int64_t>(counter).fetch_add(static_cast<int64_t>(times),
                                                  std::memory_order_relaxed);
    };
    add(rule.tail.open->ties, open & kBits);
    add(rule.tail.open->large, open >> 21 & kBits);
    add(rule.tail.open->softmax, open >> 42);
  }
};

}  // namespace edgetwin::ops
