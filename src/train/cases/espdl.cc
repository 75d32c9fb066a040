#include <cmath>

#include "train/cases/kinds.h"
#include "train/espdl/adaround.h"
#include "train/espdl/table.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

constexpr double kThresholdPenalty = 0.25;  // of the recorded cases
constexpr int kRoundingSteps = 1000, kRoundingStep = 500;

numerics::Rounding rounding_of(const CaseEntry& entry) {
  return entry.text("rounding", "") == "half-up" ? numerics::Rounding::half_up
                                                 : numerics::Rounding::half_even;
}

// Scales lie along the axis of the channels, the first one where the entry does not say.
Result<FakeQuantizer> quantizer_of(const CaseEntry& entry, std::vector<float> scales,
                                   const Shape& shape) {
  FakeQuantizer q{.bits = entry.integer("bits", 8),
                  .rounding = rounding_of(entry),
                  .scales = std::move(scales)};
  const int axis = entry.integer("channel_axis", 0);
  const bool one = q.scales.size() == 1;
  if (!one &&
      (axis < 0 || axis >= shape.rank() || shape[axis] != static_cast<int64_t>(q.scales.size()))) {
    return broken(Rule::recorded_case, "the scales do not fit the axis of the channels");
  }
  if (!one) q.inner = static_cast<size_t>(shape.elements(axis + 1, shape.rank()));
  q.upstream_bugs = file_has(entry, "fakequant");  // the package's whole gradient
  return q;
}

Result<CaseResults> compute_quantizer(const CaseEntry& entry, const CaseArrays& in) {
  EDGETWIN_TRY_ASSIGN(const Tensor* x, in.get("x"));
  EDGETWIN_TRY_ASSIGN(const std::vector<float> gy, in.floats("gy"));
  const bool learned = file_has(entry, "lsq");
  const std::vector<float> logarithms = in.floats_or_none("log2_scale");
  const Tensor* parameter = in.find(logarithms.empty() ? "scale" : "log2_scale");
  std::vector<float> scales = in.floats_or_none("scale");
  for (const float a : logarithms) scales.push_back(threshold_scale(a));
  if (scales.empty()) return broken(Rule::recorded_case, "the case has no scale");
  for (float& s : scales) s = std::abs(s);
  const std::vector<float> values = float_values(*x);
  if (gy.size() != values.size()) {
    return broken(Rule::recorded_case, "gy does not have the shape of x");
  }
  EDGETWIN_TRY_ASSIGN(const FakeQuantizer q, quantizer_of(entry, scales, x->shape));
  CaseResults results;
  results.add("y", x->shape, std::span<const float>(fake_quantize(values, q)));
  results.add("gx", x->shape, std::span<const float>(fake_quantize_gradient(values, gy, q)));
  if (learned) {
    results.add("g_scale", parameter->shape, std::span<const float>(step_gradient(values, gy, q)));
  }
  if (!logarithms.empty()) {
    results.add("g_log2_scale", parameter->shape,
                std::span<const float>(threshold_gradient(values, gy, q)));
    results.add("int_reg", static_cast<float>(threshold_penalty(logarithms, kThresholdPenalty)));
    results.add("g_int_reg", parameter->shape,
                std::span<const float>(threshold_penalty_gradient(logarithms, kThresholdPenalty)));
  }
  return results;
}

Result<CaseResults> compute_adaround(const CaseEntry& entry, const CaseArrays& in) {
  EDGETWIN_TRY_ASSIGN(const Tensor* w, in.get("w"));
  EDGETWIN_TRY_ASSIGN(const std::vector<float> scale, in.floats("scale"));
  EDGETWIN_TRY_ASSIGN(const std::vector<float> v, in.floats("v"));
  EDGETWIN_TRY_ASSIGN(const std::vector<float> gy, in.floats("gy"));
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> steps, in.integers("reg_iter"));
  const std::vector<float> weights = float_values(*w);
  if (v.size() != weights.size() || gy.size() != weights.size() || scale.empty()) {
    return broken(Rule::recorded_case, "v, gy or scale do not fit the weights");
  }
  EDGETWIN_TRY_ASSIGN(const FakeQuantizer q, quantizer_of(entry, scale, w->shape));
  const AdaRound rounding(weights, q);
  const RoundingPenalty penalty{kRoundingSteps};
  std::vector<double> losses, betas;
  for (const int64_t step : steps) {
    losses.push_back(penalty.value(v, static_cast<int>(step)));
    betas.push_back(penalty.beta(static_cast<int>(step)));
  }
  const auto add = [&](CaseResults& r, const char* name, const std::vector<float>& values) {
    r.add(name, w->shape, std::span<const float>(values));
  };
  const Shape count = {static_cast<int64_t>(steps.size())};
  CaseResults results;
  add(results, "v_init", rounding.start());
  add(results, "y", rounding.forward(v));
  add(results, "gv", rounding.gradient(v, gy));
  results.add("reg_loss", count, std::span<const double>(losses));
  results.add("reg_beta", count, std::span<const double>(betas));
  add(results, "g_reg_500", penalty.gradient(v, kRoundingStep));
  add(results, "w_final", rounding.finished(v));
  return results;
}

Result<CaseResults> compute_table(const CaseEntry& entry, const CaseArrays& in) {
  EDGETWIN_TRY_ASSIGN(const std::vector<float> x, in.floats("x"));
  EDGETWIN_TRY_ASSIGN(const std::vector<float> gy, in.floats("gy"));
  const auto function = lut::function_from_name(entry.text("function", ""));
  if (!function) return broken(Rule::recorded_case, "the function is unknown");
  if (gy.size() != x.size()) {
    return broken(Rule::recorded_case, "gy does not have the shape of x");
  }
  lut::TableSpec spec{.function = *function,
                      .in_exponent = entry.integer("in_exponent", 0),
                      .out_exponent = entry.integer("out_exponent", 0),
                      .bits = 16,
                      .step = entry.integer("step", 1),
                      .rounding = rounding_of(entry),
                      .alpha = {},
                      .beta = {}};
  if (entry.json.get("alpha")) spec.alpha = static_cast<float>(entry.number("alpha", 1));
  if (entry.json.get("beta")) spec.beta = static_cast<float>(entry.number("beta", 0));
  EDGETWIN_TRY_ASSIGN(const TableFunction table,
                      TableFunction::make(spec, numerics::LutRule::interpolate));
  std::vector<int32_t> entries;
  for (const int16_t e : table.table().as<int16_t>()) entries.push_back(e);
  const Shape shape = {static_cast<int64_t>(x.size())};
  CaseResults results;
  results.add("table", DType::int16, {static_cast<int64_t>(entries.size())}, entries);
  results.add("y", shape, std::span<const float>(table.forward(x)));
  results.add("gx", shape, std::span<const float>(table.gradient(x, gy, true)));
  return results;
}

}  // namespace

Result<CaseResults> compute_espdl(const CaseEntry& entry, const CaseArrays& in) {
  if (file_has(entry, "adaround")) return compute_adaround(entry, in);
  if (file_has(entry, "lut-")) return compute_table(entry, in);
  return compute_quantizer(entry, in);
}

}  // namespace edgetwin::train
