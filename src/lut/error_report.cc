#include "lut/error_report.h"

#include <algorithm>
#include <cmath>

#include "numerics/saturate.h"

namespace edgetwin::lut {
namespace {

int entry(const Tensor& table, int64_t index) {
  const auto i = static_cast<size_t>(index);
  return table.dtype == DType::int8 ? table.as<int8_t>()[i] : table.as<int16_t>()[i];
}

void compare_entries(const TableSpec& spec, const Tensor& table, Parity& parity) {
  const int low = lowest_input(spec.bits);
  for (int64_t i = 0; i < parity.entries; ++i) {
    const int wanted = rounded_value(spec, low + static_cast<int>(i) * spec.step);
    const int difference = std::abs(entry(table, i) - wanted);
    if (difference == 0) continue;
    if (parity.differing++ == 0) parity.first = i;
    parity.largest = std::max(parity.largest, difference);
  }
}

void compare_pivots(const TableSpec& spec, const Tensor& table, const RuleReport& report,
                    Parity& parity) {
  for (int64_t i = 0; i < parity.entries; ++i) {
    const auto u = static_cast<size_t>(i * spec.step);
    if (u >= report.outputs.size()) break;
    if (report.outputs[u] != entry(table, i)) ++parity.pivots_differing;
  }
}

Result<RuleReport> examine_rule(const TableSpec& spec, const Tensor& table, LutRule rule,
                                std::optional<int> declared_step) {
  RuleReport report;
  report.rule = rule;
  EDGETWIN_TRY_ASSIGN(report.fencepost, check_fencepost(table, rule, spec.rounding, declared_step));
  report.runs = report.fencepost.runs;
  if (!report.runs) return report;
  report.outputs.resize(static_cast<size_t>(inputs(spec.bits)));
  EDGETWIN_TRY(sweep_into(table, rule, spec.rounding, report.outputs));
  EDGETWIN_TRY_ASSIGN(report.deviation, deviation(spec, report.outputs));
  for (const double real : stress_inputs(spec)) {
    const int q = quantized_input(spec, real);
    const auto at = static_cast<size_t>(q - lowest_input(spec.bits));
    report.stress.push_back({real, q, report.outputs[at]});
  }
  return report;
}

}  // namespace

Result<Deviation> deviation(const TableSpec& spec, std::span<const int16_t> outputs) {
  // The ideal has no steps; a damaged table's step must not be refused here.
  TableSpec all = spec;
  all.step = 1;
  EDGETWIN_TRY(check(all));
  Deviation d;
  d.inputs = inputs(spec.bits);
  if (static_cast<int64_t>(outputs.size()) != d.inputs) {
    return Error(ErrorCode::lut_table, std::to_string(outputs.size()) + " outputs for " +
                                           std::to_string(d.inputs) + " inputs");
  }
  const double scale = std::ldexp(1.0, spec.out_exponent);
  int64_t sum = 0;
  int q = lowest_input(spec.bits);
  for (const int16_t got : outputs) {
    const int wanted = rounded_value(all, q);
    const int error = std::abs(got - wanted);
    if (error > d.largest) {
      d.largest = error;
      d.at = q;
      d.got = got;
      d.wanted = wanted;
    }
    sum += error;
    if (error != 0) ++d.differing;
    const double real_error = std::abs(got * scale - static_cast<double>(real_value(all, q)));
    if (real_error > d.largest_real) {
      d.largest_real = real_error;
      d.largest_real_at = q;
    }
    ++q;
  }
  d.mean = static_cast<double>(sum) / static_cast<double>(d.inputs);
  return d;
}

std::vector<double> stress_inputs(const TableSpec& spec) {
  const double low = lowest_input(spec.bits);
  std::vector<double> values = {-40000.0, low - 1, -low, 40000.0};
  for (double& v : values) v = std::ldexp(v, spec.in_exponent);
  return values;
}

int quantized_input(const TableSpec& spec, double real) {
  const double scaled = std::ldexp(real, -spec.in_exponent);
  const int low = lowest_input(spec.bits);
  return numerics::saturate_float(numerics::round_float(scaled, spec.rounding), low, -low - 1);
}

Result<Report> examine(TableSpec spec, const Tensor& table, std::optional<int> declared_step) {
  Report report;
  EDGETWIN_TRY_ASSIGN(report.form, form(table));
  spec.bits = report.form.bits;
  spec.step = 1;
  EDGETWIN_TRY(check(spec));
  for (RuleReport* of : {&report.interpolate, &report.nearest}) {
    const LutRule rule = of == &report.nearest ? LutRule::nearest : LutRule::interpolate;
    EDGETWIN_TRY_ASSIGN(*of, examine_rule(spec, table, rule, declared_step));
  }
  spec.step = report.interpolate.fencepost.intended_step.value_or(report.form.step);
  report.spec = spec;
  report.parity.entries = std::min(report.form.count, report.interpolate.fencepost.needed == 0
                                                          ? report.form.count
                                                          : report.interpolate.fencepost.needed);
  compare_entries(spec, table, report.parity);
  compare_pivots(spec, table, report.interpolate, report.parity);
  if (report.nearest.runs && report.interpolate.fencepost.complete) {
    compare_pivots(spec, table, report.nearest, report.parity);
  }
  return report;
}

}  // namespace edgetwin::lut
