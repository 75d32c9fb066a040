// Where fast kernels may stand in for rules that take a whole row of bytes: SOFTMAX and
// L2_NORMALIZATION. A row's results depend on its sum alone, so that there are at most 256 of them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "kernels/elements/pairs.h"
#include "kernels/elements/rows.h"
#include "kernels/i8/lookup.h"
#include "numerics/edgetpu/softmax.h"
#include "numerics/tflite/softmax.h"
#include "ops/core/kernel.h"
#include "ops/fast/wanted_isa.h"

namespace edgetwin::ops {

// The functions of an instruction set for rows; nothing where rules run plain.
struct RowKernels {
  const kernels::RowTable* table = nullptr;
  kernels::Isa isa = kernels::Isa::plain;

  static std::optional<RowKernels> make(const KernelOptions& options) {
    const kernels::Isa isa = wanted_isa(options);
    const kernels::RowTable* table = kernels::row_table(isa);
    if (table == nullptr) return std::nullopt;
    return RowKernels{table, isa};
  }
  template <class T>
  int32_t largest(const T* x, int64_t n) const {
    return table->largest(reinterpret_cast<const uint8_t*>(x), n, std::is_signed_v<T>);
  }
};

// Results by the distance from the largest element, as a table by the byte of an element.
template <class In, class Out>
std::array<Out, 256> by_element(const std::array<Out, 256>& by_distance, int32_t largest) {
  std::array<Out, 256> table{};
  for (int32_t d = 0; d < 256 && largest - d >= std::numeric_limits<In>::min(); ++d) {
    table[static_cast<uint8_t>(largest - d)] = by_distance[static_cast<size_t>(d)];
  }
  return table;
}

template <class In, class Out>
void look_up_row(const std::array<Out, 256>& table, const In* x, int64_t n, Out* y,
                 kernels::Isa isa) {
  if constexpr (sizeof(Out) == 1) {
    kernels::lookup8(reinterpret_cast<const uint8_t*>(table.data()),
                     reinterpret_cast<const uint8_t*>(x), reinterpret_cast<uint8_t*>(y),
                     static_cast<size_t>(n), isa);
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = table[static_cast<uint8_t>(x[i])];
  }
}

// Rules without a fast form have none of these; those with one have the same `row`.
template <class Rule>
struct FastRow {
  static std::optional<FastRow> make(const KernelOptions&, const Rule&) { return std::nullopt; }
};

template <class In, class Out, numerics::Requantization R>
struct FastRow<numerics::tflite::Softmax<In, Out, R>> {
  using Rule = numerics::tflite::Softmax<In, Out, R>;
  static constexpr int64_t kTabled = 256;  // from this length on a table of all results is faster
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

  void row(const In* x, int64_t n, Out* y) const {
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
    std::array<uint32_t, kTabled> own;
    const bool tabled = n >= kTabled;
    for (int64_t i = 0; i < (tabled ? 0 : n); ++i) {
      own[static_cast<size_t>(i)] = exponentials[static_cast<size_t>(largest - x[i])];
    }
    std::array<int32_t, kTabled> results;
    kernels.table->portions(portion, tabled ? exponentials.data() : own.data(),
                            tabled ? kTabled : n, results.data());
    if (!tabled) {
      for (int64_t i = 0; i < n; ++i) y[i] = static_cast<Out>(results[static_cast<size_t>(i)]);
      return;
    }
    std::array<Out, 256> narrow;
    for (size_t d = 0; d < narrow.size(); ++d) narrow[d] = static_cast<Out>(results[d]);
    look_up_row<In, Out>(by_element<In>(narrow, largest), x, n, y, kernels.isa);
  }
};

template <class T>
struct FastRow<numerics::edgetpu::Softmax<T>> {
  using Rule = numerics::edgetpu::Softmax<T>;
  using Counts = std::array<int32_t, 256>;  // of the distances from the largest element
  static constexpr int64_t kLeast = 512;    // below this length the plain row is faster
  RowKernels kernels;
  Rule rule;

  // The older compiler's program sums floats in the order of the elements.
  static std::optional<FastRow> make(const KernelOptions& options, const Rule& rule) {
    const auto found = RowKernels::make(options);
    if (!found || rule.kind == numerics::EdgetpuSoftmax::scalar) return std::nullopt;
    return FastRow{*found, rule};
  }

  void row(const T* x, int64_t n, T* y) const {
    if (n < kLeast || n > INT32_MAX) return rule.row(x, n, y);
    const int32_t largest = kernels.largest(x, n);
    const Counts counts = counted(x, n, largest);
    int64_t sum = 0, sum_nearest = 0;
    for (size_t d = 0; d < counts.size(); ++d) {
      sum += int64_t{counts[d]} * rule.exponentials[d];
      sum_nearest += int64_t{counts[d]} * rule.nearest[d];
    }
    const auto whole = rule.whole_of(sum, sum_nearest);
    Rule one = rule;  // counts what is open of one element
    one.tail.open = std::make_shared<numerics::EdgetpuOpen>();
    std::array<T, 256> results{};
    for (size_t d = 0; d < counts.size(); ++d) {
      if (counts[d] == 0) continue;
      *one.tail.open = {};
      results[d] = one.portion(whole, d);
      count_open(*one.tail.open, counts[d]);
    }
    look_up_row<T, T>(by_element<T>(results, largest), x, n, y, kernels.isa);
  }

 private:
  // Four counters for each, because neighbours are often equal.
  static Counts counted(const T* x, int64_t n, int32_t largest) {
    std::array<Counts, 4> parts{};
    for (int64_t i = 0; i < n; ++i) {
      ++parts[static_cast<size_t>(i % 4)][static_cast<size_t>(largest - x[i])];
    }
    Counts all{};
    for (size_t d = 0; d < all.size(); ++d) {
      all[d] = parts[0][d] + parts[1][d] + parts[2][d] + parts[3][d];
    }
    return all;
  }
  void count_open(const numerics::EdgetpuOpen& one, int64_t times) const {
    numerics::EdgetpuOpen& open = *rule.tail.open;
    for (const auto counter : {&numerics::EdgetpuOpen::ties, &numerics::EdgetpuOpen::large,
                               &numerics::EdgetpuOpen::overflow, &numerics::EdgetpuOpen::softmax}) {
      if (one.*counter == 0) continue;
      std::atomic_ref<int64_t>(open.*counter)
          .fetch_add(one.*counter * times, std::memory_order_relaxed);
    }
  }
};

template <class T, numerics::Requantization R>
struct FastRow<numerics::tflite::L2Normalization<T, R>> {
  using Rule = numerics::tflite::L2Normalization<T, R>;
  static constexpr int64_t kLeast = 32;  // below this length the plain row is faster
  RowKernels kernels;
  kernels::PairKernel multiply = nullptr;
  Rule rule;

  static std::optional<FastRow> make(const KernelOptions& options, const Rule& rule) {
    using Limits = std::numeric_limits<T>;
    const auto found = RowKernels::make(options);
    if (!found || rule.zero_in < Limits::min() || rule.zero_in > Limits::max()) return std::nullopt;
    const kernels::PairKernel multiply = kernels::pair_kernel(found->isa);
    if (multiply == nullptr) return std::nullopt;
    return FastRow{*found, multiply, rule};
  }

  // The rule's second half is a product with one byte: 128 for uint8, and 1 for int8, whose 128 is
  // in the multiplier.
  void row(const T* x, int64_t n, T* y) const {
    constexpr bool is_signed = std::is_signed_v<T>;
    constexpr int32_t kFactor = is_signed ? 1 : 128, kLow = std::numeric_limits<T>::min(),
                      kHigh = std::numeric_limits<T>::max();
    if (n < kLeast) return rule.row(x, n, y);
    const auto* bytes = reinterpret_cast<const uint8_t*>(x);
    auto m = numerics::inverse_sqrt(kernels.table->squares(bytes, n, rule.zero_in, is_signed));
    if (is_signed) m.shift += 7;
    const auto stage = kernels::fixed_stage(m, R, (kLow - rule.zero_in) * kFactor,
                                            (kHigh - rule.zero_in) * kFactor);
    if (!stage) return rule.row(x, n, y);
    kernels::PairConstants k;
    k.form = kernels::PairForm::product;
    k.mask = is_signed ? -1 : 255;
    k.zero_a = rule.zero_in;
    k.zero_out = is_signed ? 0 : 128;
    k.low = kLow;
    k.high = kHigh;
    k.out = *stage;
    const auto factor = static_cast<std::byte>(kFactor);
    multiply(k, {.a = reinterpret_cast<const std::byte*>(x),
                 .b = &factor,
                 .out = reinterpret_cast<std::byte*>(y),
                 .count = n,
                 .step_a = 1,
                 .step_b = 0});
  }
};

}  // namespace edgetwin::ops
