// Where fast kernels may stand in for rules that take a whole row of bytes: L2_NORMALIZATION here,
// SOFTMAX in softmax_rows.h. A row's results depend on its sum alone, so that there are at most 256
// of them.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "kernels/elements/pairs.h"
#include "kernels/elements/rows.h"
#include "kernels/i8/lookup.h"
#include "numerics/tflite/functions.h"
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

template <class T, numerics::Requantization R>
struct FastRow<numerics::tflite::L2Normalization<T, R>> {
  using Rule = numerics::tflite::L2Normalization<T, R>;
  static constexpr int64_t kLeast = 32;    // below this length the plain row is faster
  static constexpr int64_t kTabled = 512;  // from this length on a table of all results is
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
    if (n < kTabled) return product(k, bytes, n, reinterpret_cast<uint8_t*>(y));
    std::array<uint8_t, 256> all, results;
    std::iota(all.begin(), all.end(), uint8_t{0});
    product(k, all.data(), 256, results.data());
    kernels::lookup8(results.data(), bytes, reinterpret_cast<uint8_t*>(y), static_cast<size_t>(n),
                     kernels.isa);
  }

 private:
  void product(const kernels::PairConstants& k, const uint8_t* x, int64_t n, uint8_t* y) const {
    const auto factor = static_cast<std::byte>(std::is_signed_v<T> ? 1 : 128);
    multiply(k, {.a = reinterpret_cast<const std::byte*>(x),
                 .b = &factor,
                 .out = reinterpret_cast<std::byte*>(y),
                 .count = n,
                 .step_a = 1,
                 .step_b = 0});
  }
};

}  // namespace edgetwin::ops
