// Exponents of what is constant. Weights are measured as they are, whatever the method for
// activations: percentile as a whole, extremes per channel. Biases have the scale of the products
// they are added to.
#include <algorithm>
#include <cmath>

#include "quantize/calibration/observer.h"
#include "quantize/espdl/passes/passes.h"
#include "quantize/espdl/plan/parameters.h"
#include "tensor/tensor.h"

namespace edgetwin::quantize {
namespace {

Status check_finite(const Plan& plan, const OperandQuant& c) {
  const auto values = floats_of(plan.graph().value(c.value));
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return Error(ErrorCode::quant_not_finite, "the parameter '" + plan.graph().value(c.value).name +
                                                  "' holds " +
                                                  (std::isnan(values[i]) ? "NaN" : "infinity"))
        .in_layer(op_label(plan.graph(), c.op))
        .detail("at " + index_text(plan.graph().value(c.value).shape, static_cast<int64_t>(i)));
  }
  return Ok{};
}

void measure_whole(OperandQuant& c, std::span<const float> values) {
  const RangeStatistics seen[] = {observe(values, true)};
  const Range r = percentile_range(seen, c.bits);
  c.low = r.low;
  c.high = r.high;
  c.exponent = {r.exponent};
}

void measure_channels(OperandQuant& c, const Value& v) {
  const auto values = floats_of(v);
  const auto channels = static_cast<size_t>(v.shape[c.axis]);
  const auto inner = static_cast<size_t>(inner_elements(v, c.axis));
  std::vector<float> low(channels), high(channels);
  for (size_t at = 0, channel = 0; at < values.size(); at += inner) {
    for (const float x : values.subspan(at, inner)) {
      low[channel] = std::min(low[channel], x);
      high[channel] = std::max(high[channel], x);
    }
    if (++channel == channels) channel = 0;
  }
  c.low = *std::min_element(low.begin(), low.end());
  c.high = *std::max_element(high.begin(), high.end());
  c.exponent.clear();
  for (size_t i = 0; i < channels; ++i) {
    c.exponent.push_back(exponent_of_range(low[i], high[i], c.bits));
  }
}

Status bias_exponent(Plan& plan, OperandQuant& c) {
  const OpQuants& op = plan.ops()[c.op];
  const int in = plan.deciding(op.inputs[0]).exponent.at(0);
  const OperandQuant& weights = plan.deciding(op.inputs[1]);
  c.axis = weights.axis < 0 ? -1 : 0;
  c.exponent.clear();
  for (const int e : weights.exponent) c.exponent.push_back(in + e);
  return Ok{};
}

void note_zero(Plan& plan, const OperandQuant& c) {
  if (c.low != 0.0F || c.high != 0.0F) return;
  plan.findings.push_back({Severity::warning, "", op_label(plan.graph(), c.op),
                           "the parameter '" + plan.graph().value(c.value).name +
                               "' is zero throughout: its exponent says nothing",
                           "Training or export has lost it."});
}

// What a bias loses where it does not fit its width.
void note_clipped_bias(Plan& plan, const OperandQuant& c) {
  const auto values = floats_of(plan.graph().value(c.value));
  int64_t clipped = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const int e = c.exponent[i % c.exponent.size()];
    if (std::fabs(std::ldexp(static_cast<double>(values[i]), -e)) > std::ldexp(1.0, c.bits - 1)) {
      ++clipped;
    }
  }
  if (clipped == 0) return;
  plan.findings.push_back({Severity::warning, "", op_label(plan.graph(), c.op),
                           std::to_string(clipped) + " of " + std::to_string(values.size()) +
                               " biases do not fit " + std::to_string(c.bits) + " bits at 2^" +
                               std::to_string(c.exponent[0]),
                           "Take 16 bits for this layer, or wider weights."});
}

}  // namespace

Status quantize_parameters(Plan& plan) {
  for (OperandQuant& c : plan.quants()) {
    if (c.kind == OperandQuant::Kind::activation) continue;
    EDGETWIN_TRY(check_finite(plan, c));
    if (c.kind != OperandQuant::Kind::parameter) continue;
    const Value& v = plan.graph().value(c.value);
    if (c.axis >= 0) {
      measure_channels(c, v);
    } else {
      measure_whole(c, floats_of(v));
    }
    note_zero(plan, c);
  }
  return Ok{};
}

Graph with_rounded_parameters(const Plan& plan) {
  Graph graph = plan.graph();
  for (const OperandQuant& c : plan.quants()) {
    if (c.kind != OperandQuant::Kind::parameter) continue;
    Value v = graph.value(c.value);
    Bytes data = *v.constant;
    const std::span<float> values{reinterpret_cast<float*>(data.data()),
                                  data.size() / sizeof(float)};
    fake_quantize(values, c.exponent, inner_elements(v, c.axis), integer_spec(c, plan.settings()));
    v.constant = std::make_shared<const Bytes>(std::move(data));
    v.name += ".rounded";
    graph.values.push_back(std::move(v));
    // Another operator may have the parameter at another width.
    const auto id = static_cast<ValueId>(graph.values.size() - 1);
    for (ValueId& in : graph.ops[c.op].inputs) {
      if (in == c.value) in = id;
    }
  }
  return graph;
}

Status quantize_biases(Plan& plan) {
  for (OperandQuant& c : plan.quants()) {
    if (c.kind == OperandQuant::Kind::bias) {
      EDGETWIN_TRY(bias_exponent(plan, c));
      note_clipped_bias(plan, c);
    }
    if (c.kind == OperandQuant::Kind::follow) {
      c.exponent = plan.deciding(plan.ops()[c.op].inputs[0]).exponent;
    }
  }
  return Ok{};
}

}  // namespace edgetwin::quantize
