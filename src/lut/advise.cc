#include "lut/advise.h"

#include <algorithm>
#include <cmath>

#include "numerics/saturate.h"

namespace edgetwin::lut {
namespace {

constexpr int kLargestStep = 256;  // coarser ones are smaller than the 8-bit table, and worse
constexpr int kInputs = 65536;
constexpr int kLow = -32768;

struct Extremes {
  double low = 0.0, high = 0.0;
};

// Of the function's float32 values; infinities stay what they are.
Extremes extremes(const TableSpec& spec) {
  Extremes e;
  for (int q = lowest_input(spec.bits); q <= -lowest_input(spec.bits) - 1; ++q) {
    const double y = static_cast<double>(real_value(spec, q));
    e.low = std::min(e.low, y);
    e.high = std::max(e.high, y);
  }
  return e;
}

bool saturates(const Extremes& e, int exponent, int bits) {
  const double limit = -lowest_input(bits);
  // Values up to half a step beyond the last integer still round to it.
  return std::ldexp(e.high, -exponent) >= limit - 0.5 ||
         std::ldexp(e.low, -exponent) < -limit - 0.5;
}

int64_t saturated_inputs(const TableSpec& spec) {
  int64_t count = 0;
  for (int q = kLow; q < kLow + kInputs; ++q) {
    const double y = std::ldexp(static_cast<double>(real_value(spec, q)), -spec.out_exponent);
    if (y >= 32767.5 || y < -32768.5) ++count;
  }
  return count;
}

// The outputs of an 8-bit table of the same range in 16-bit units, for every 16-bit input.
Result<std::vector<int16_t>> outputs_of_8_bits(const TableSpec& spec) {
  TableSpec narrow = spec;
  narrow.bits = 8;
  narrow.step = 1;
  narrow.in_exponent += 8;
  narrow.out_exponent += 8;
  EDGETWIN_TRY_ASSIGN(const Tensor table, build(narrow));
  std::vector<int16_t> outputs;
  outputs.reserve(kInputs);
  for (int q = kLow; q < kLow + kInputs; ++q) {
    const int64_t rounded = numerics::rounding_shift(q, 8, spec.rounding);
    const auto input = numerics::saturate<int8_t>(rounded);
    outputs.push_back(static_cast<int16_t>(numerics::lut8(table.as<int8_t>().data(), input) * 256));
  }
  return outputs;
}

bool suffices(const Deviation& d, const Wanted& wanted) {
  if (wanted.lsb && d.largest > *wanted.lsb) return false;
  return !wanted.real || d.largest_real <= *wanted.real;
}

Result<Candidate> candidate(TableSpec spec, int bits, int step, const Wanted& wanted) {
  Candidate c;
  c.bits = bits;
  c.step = step;
  spec.bits = 16;
  spec.step = step;
  if (bits == 8) {
    c.entries = c.bytes = 256;
    EDGETWIN_TRY_ASSIGN(const auto outputs, outputs_of_8_bits(spec));
    EDGETWIN_TRY_ASSIGN(c.interpolate, deviation(spec, outputs));
    c.nearest = c.interpolate;
  } else {
    EDGETWIN_TRY_ASSIGN(const Tensor table, build(spec));
    c.entries = entries(spec);
    c.bytes = 2 * c.entries;
    std::vector<int16_t> outputs(kInputs);
    EDGETWIN_TRY(sweep_into(table, LutRule::interpolate, spec.rounding, outputs));
    EDGETWIN_TRY_ASSIGN(c.interpolate, deviation(spec, outputs));
    EDGETWIN_TRY(sweep_into(table, LutRule::nearest, spec.rounding, outputs));
    EDGETWIN_TRY_ASSIGN(c.nearest, deviation(spec, outputs));
  }
  c.interpolate_suffices = suffices(c.interpolate, wanted);
  c.nearest_suffices = suffices(c.nearest, wanted);
  return c;
}

Status check_wanted(const Wanted& wanted) {
  const bool any = wanted.lsb || wanted.real;
  const double worst = std::min(wanted.lsb.value_or(0.0), wanted.real.value_or(0.0));
  if (any && worst >= 0.0) return Ok{};
  return Error(ErrorCode::lut_spec,
               any ? "the largest error wanted is below 0" : "no largest error is wanted");
}

}  // namespace

std::optional<int> output_exponent(TableSpec spec) {
  const Extremes e = extremes(spec);
  for (int exponent = -kMaxExponent; exponent <= kMaxExponent; ++exponent) {
    if (!saturates(e, exponent, spec.bits)) return exponent;
  }
  return std::nullopt;
}

Result<Advice> advise(TableSpec spec, const Wanted& wanted, bool choose_exponent) {
  spec.bits = 16;
  spec.step = 1;
  if (choose_exponent) spec.out_exponent = 0;
  EDGETWIN_TRY(check(spec));
  EDGETWIN_TRY(check_wanted(wanted));
  Advice advice;
  advice.exponent_without_saturation = output_exponent(spec);
  advice.exponent_was_chosen = choose_exponent;
  if (choose_exponent) {
    if (!advice.exponent_without_saturation) {
      return Error(ErrorCode::lut_spec,
                   function_name(spec) + " saturates at every output exponent up to 30")
          .with_hint("Give --out-exponent, or an input exponent of a smaller range.");
    }
    spec.out_exponent = *advice.exponent_without_saturation;
  }
  advice.spec = spec;
  advice.saturated_inputs = saturated_inputs(spec);
  const bool narrow = spec.in_exponent + 8 <= kMaxExponent && spec.out_exponent + 8 <= kMaxExponent;
  if (narrow) {
    EDGETWIN_TRY_ASSIGN(Candidate c, candidate(spec, 8, 1, wanted));
    advice.candidates.push_back(c);
  }
  for (int step = kLargestStep; step >= 1; step /= 2) {
    EDGETWIN_TRY_ASSIGN(Candidate c, candidate(spec, 16, step, wanted));
    advice.candidates.push_back(c);
  }
  for (size_t i = advice.candidates.size(); i-- > 0;) {
    if (advice.candidates[i].interpolate_suffices) advice.best_interpolate = i;
    if (advice.candidates[i].nearest_suffices) advice.best_nearest = i;
  }
  return advice;
}

}  // namespace edgetwin::lut
