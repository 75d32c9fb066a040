#include "lut/sweep.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "lut/table.h"

namespace edgetwin::lut {
namespace {

constexpr int kSweepInputs = 65536;

// One segment after the other: out = a + trunc(r * d / S) for r = 0 .. S - 1, with d = b - a.
//
// Truncation is floor for d >= 0. For d < 0 it is the ceiling, and ceil(n / S) equals
// floor((n + S - 1) / S) for every integer n. Both are a shift once a * S, a multiple of S, is
// brought inside: a + floor(m / S) = floor((a * S + m) / S). So the numerators of a segment are the
// arithmetic progression start + r * d with start = a * S, plus S - 1 where d < 0.
//
// The numerators lie between a * S and b * S, plus less than S: below 2^15 * 2^15 + 2^15 in
// magnitude, so that nothing overflows.
template <int S>
void interpolate(const int16_t* __restrict table, int16_t* __restrict out) {
  for (int i = 0; i < kSweepInputs / S; ++i) {
    const int32_t a = table[i];
    const int32_t d = table[i + 1] - a;
    const int32_t start = a * S + (d < 0 ? S - 1 : 0);
    int16_t* segment = out + static_cast<ptrdiff_t>(i) * S;
    constexpr int kShift = std::countr_zero(static_cast<unsigned>(S));
    for (int r = 0; r < S; ++r) segment[r] = static_cast<int16_t>((start + r * d) >> kShift);
  }
}

// The first half of a segment takes its left entry, the second half the right one. The element half
// way belongs to the right, except under half_even in even segments.
template <int S>
void nearest(const int16_t* __restrict table, Rounding ties, int16_t* __restrict out) {
  constexpr int kHalf = S / 2;
  const bool even = ties == Rounding::half_even;
  for (int i = 0; i < kSweepInputs / S; ++i) {
    const int16_t a = table[i];
    const int16_t b = table[i + 1];
    int16_t* segment = out + static_cast<ptrdiff_t>(i) * S;
    for (int r = 0; r < kHalf; ++r) segment[r] = a;
    for (int r = kHalf; r < S; ++r) segment[r] = b;
    if (even && i % 2 == 0) segment[kHalf] = a;
  }
}

// Calls visit with the step as a constant: 2, 4, ... 32768.
template <int S = 2, class Visit>
void with_step(int step, const Visit& visit) {
  if (step == S) return visit(std::integral_constant<int, S>{});
  if constexpr (S < kMaxStep) with_step<2 * S>(step, visit);
}

Error table_error(const std::string& message) {
  return Error(ErrorCode::lut_table, message)
      .with_hint("An 8-bit table is int8 of 256 elements, a 16-bit one int16 of 65536 / step + 1.");
}

// The table with everything that its sweep may read; zeros where the file has nothing.
std::vector<int16_t> padded(const Tensor& table, const TableForm& f) {
  const auto entries = table.as<int16_t>();
  std::vector<int16_t> copy(entries.begin(), entries.end());
  const int64_t reads = f.step == 1 ? kSweepInputs : (kSweepInputs - 1) / f.step + 2;
  copy.resize(static_cast<size_t>(std::max(reads, f.count)), 0);
  return copy;
}

}  // namespace

std::string_view name(LutRule rule) { return rule == LutRule::nearest ? "nearest" : "interpolate"; }

Result<TableForm> form(const Tensor& table) {
  const int64_t count = table.shape.elements();
  const bool whole = static_cast<int64_t>(table.data.size()) == storage_bytes(table.dtype, count);
  if (!whole) return table_error("the table's bytes do not fit its shape");
  if (table.dtype == DType::int8) {
    if (count == 256) return TableForm{8, 256, 1};
    return table_error("a table of int8 has 256 entries, not " + std::to_string(count));
  }
  if (table.dtype != DType::int16) {
    return table_error("a table is int8 or int16, not " + std::string(edgetwin::name(table.dtype)));
  }
  if (count < 3 || count > kSweepInputs + 1) {
    return table_error("a table of int16 has 3 to 65537 entries, not " + std::to_string(count));
  }
  return TableForm{16, count, numerics::lut_step(count)};
}

void sweep_interpolate(const int16_t* table, int step, int16_t* out) {
  if (step == 1) {
    std::memcpy(out, table, kSweepInputs * sizeof(int16_t));
    return;
  }
  with_step(step, [&](auto s) { interpolate<decltype(s)::value>(table, out); });
}

void sweep_nearest(const int16_t* table, int step, Rounding ties, int16_t* out) {
  if (step == 1) {
    std::memcpy(out, table, kSweepInputs * sizeof(int16_t));
    return;
  }
  with_step(step, [&](auto s) { nearest<decltype(s)::value>(table, ties, out); });
}

// Division by multiplication with the reciprocal, of the magnitude: n + 1/2 is at least 1/2 away
// from every multiple of the step, that is 2^-16 of a quotient below 2^17, while the two roundings
// of a double product move it by less than 2^-34. So its integer part is floor(n / step).
void sweep_interpolate_any_step(const int16_t* __restrict table, int step,
                                int16_t* __restrict out) {
  const double reciprocal = 1.0 / step;
  for (int u = 0, i = 0; u < kSweepInputs; u += step, ++i) {
    const int32_t a = table[i];
    const int32_t d = table[i + 1] - a;
    const int32_t magnitude = std::abs(d);
    const int32_t sign = d < 0 ? -1 : 1;
    const int length = std::min(step, kSweepInputs - u);
    int16_t* segment = out + u;
    for (int r = 0; r < length; ++r) {
      const auto quotient = static_cast<int32_t>((r * magnitude + 0.5) * reciprocal);
      segment[r] = static_cast<int16_t>(a + sign * quotient);
    }
  }
}

Status sweep_into(const Tensor& table, LutRule rule, Rounding ties, std::span<int16_t> out) {
  EDGETWIN_TRY_ASSIGN(const TableForm f, form(table));
  if (static_cast<int>(out.size()) != inputs(f.bits)) {
    return table_error("the place for a sweep has " + std::to_string(out.size()) + " elements");
  }
  if (f.bits == 8) {
    const auto entries = table.as<int8_t>();
    std::copy(entries.begin(), entries.end(), out.begin());
    return Ok{};
  }
  const bool whole = f.count >= (f.step == 1 ? kSweepInputs : (kSweepInputs - 1) / f.step + 2);
  const std::vector<int16_t> copy = whole ? std::vector<int16_t>() : padded(table, f);
  const int16_t* entries = whole ? table.as<int16_t>().data() : copy.data();
  const bool shifts = numerics::lut_step_is_power_of_two(f.step);
  if (rule == LutRule::nearest && !shifts) {
    return Error(ErrorCode::lut_step,
                 "a runtime of the nearest rule stops at this table: its step is " +
                     std::to_string(f.step) + ", no power of two")
        .detail("step = 65536 / (" + std::to_string(f.count) + " - 1) = " + std::to_string(f.step));
  }
  if (rule == LutRule::nearest) {
    sweep_nearest(entries, f.step, ties, out.data());
  } else if (shifts) {
    sweep_interpolate(entries, f.step, out.data());
  } else {
    sweep_interpolate_any_step(entries, f.step, out.data());
  }
  return Ok{};
}

Result<Tensor> sweep(const Tensor& table, LutRule rule, Rounding ties) {
  EDGETWIN_TRY_ASSIGN(const TableForm f, form(table));
  EDGETWIN_TRY_ASSIGN(Tensor result, Tensor::zeros(table.dtype, Shape{inputs(f.bits)}));
  result.name = table.name;
  result.quant = table.quant;
  if (f.bits == 8) {
    result.data = table.data;
    return result;
  }
  EDGETWIN_TRY(sweep_into(table, rule, ties, result.as<int16_t>()));
  return result;
}

}  // namespace edgetwin::lut
