// Exponents of what is constant. Weights are measured as they are, whatever the method for
// activations: percentile as a whole, extremes per channel. Biases have the scale of the products
// they are added to.
#include <algorithm>
#include <cmath>

#include "quantize/observer.h"
#include "quantize/parameters.h"
#include "quantize/passes.h"
#include "tensor/tensor.h"

namespace edgetwin::quantize {
namespace {

Status check_finite(const Net& net, const Config& c) {
  const auto values = floats_of(net.graph().value(c.value));
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return Error(ErrorCode::quant_not_finite, "the parameter '" + net.graph().value(c.value).name +
                                                  "' holds " +
                                                  (std::isnan(values[i]) ? "NaN" : "infinity"))
        .in_layer(op_label(net.graph(), c.op))
        .detail("at " + index_text(net.graph().value(c.value).shape, static_cast<int64_t>(i)));
  }
  return Ok{};
}

void measure_whole(Config& c, std::span<const float> values) {
  const Seen seen[] = {look(values, true)};
  const Range r = percentile_range(seen, c.bits);
  c.low = r.low;
  c.high = r.high;
  c.exponent = {r.exponent};
}

void measure_channels(Config& c, const Value& v) {
  const auto values = floats_of(v);
  const auto channels = static_cast<size_t>(v.shape[c.axis]);
  const auto inner = static_cast<size_t>(inner_elements(v, c.axis));
  std::vector<float> low(channels), high(channels);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t channel = i / inner % channels;
    low[channel] = std::min(low[channel], values[i]);
    high[channel] = std::max(high[channel], values[i]);
  }
  c.low = *std::min_element(low.begin(), low.end());
  c.high = *std::max_element(high.begin(), high.end());
  c.exponent.clear();
  for (size_t i = 0; i < channels; ++i) {
    c.exponent.push_back(exponent_of_range(low[i], high[i], c.bits));
  }
}

Status bias_exponent(Net& net, Config& c) {
  const OpConfigs& op = net.ops()[c.op];
  const int in = net.decides(op.inputs[0]).exponent.at(0);
  const Config& weights = net.decides(op.inputs[1]);
  c.axis = weights.axis < 0 ? -1 : 0;
  c.exponent.clear();
  for (const int e : weights.exponent) c.exponent.push_back(in + e);
  return Ok{};
}

void note_zero(Net& net, const Config& c) {
  if (c.low != 0.0F || c.high != 0.0F) return;
  net.findings.push_back({Severity::warning, "", op_label(net.graph(), c.op),
                          "the parameter '" + net.graph().value(c.value).name +
                              "' is zero throughout: its exponent says nothing",
                          "Training or export has lost it."});
}

// What a bias loses where it does not fit its width.
void note_clipped_bias(Net& net, const Config& c) {
  const auto values = floats_of(net.graph().value(c.value));
  int64_t clipped = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const int e = c.exponent[i % c.exponent.size()];
    if (std::fabs(std::ldexp(static_cast<double>(values[i]), -e)) > std::ldexp(1.0, c.bits - 1)) {
      ++clipped;
    }
  }
  if (clipped == 0) return;
  net.findings.push_back({Severity::warning, "", op_label(net.graph(), c.op),
                          std::to_string(clipped) + " of " + std::to_string(values.size()) +
                              " biases do not fit " + std::to_string(c.bits) + " bits at 2^" +
                              std::to_string(c.exponent[0]),
                          "Take 16 bits for this layer, or wider weights."});
}

}  // namespace

std::span<const float> floats_of(const Value& value) {
  return {reinterpret_cast<const float*>(value.constant->data()),
          value.constant->size() / sizeof(float)};
}

IntegerSpec integer_spec(const Config& config, const Settings& settings) {
  return {config.bits, rounding_of(settings.target), settings.high_precision};
}

int64_t inner_elements(const Value& value, int axis) {
  return axis < 0 ? std::max<int64_t>(1, value.shape.elements())
                  : value.shape.elements(axis + 1, value.shape.rank());
}

Status quantize_parameters(Net& net) {
  for (Config& c : net.configs()) {
    if (c.kind == Config::Kind::activation) continue;
    EDGETWIN_TRY(check_finite(net, c));
    if (c.kind != Config::Kind::parameter) continue;
    const Value& v = net.graph().value(c.value);
    if (c.axis >= 0) {
      measure_channels(c, v);
    } else {
      measure_whole(c, floats_of(v));
    }
    note_zero(net, c);
  }
  return Ok{};
}

Graph with_rounded_parameters(const Net& net) {
  Graph graph = net.graph();
  for (const Config& c : net.configs()) {
    if (c.kind != Config::Kind::parameter) continue;
    Value v = graph.value(c.value);
    Bytes data = *v.constant;
    const std::span<float> values{reinterpret_cast<float*>(data.data()),
                                  data.size() / sizeof(float)};
    fake_quantize(values, c.exponent, inner_elements(v, c.axis), integer_spec(c, net.settings()));
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

Status quantize_biases(Net& net) {
  for (Config& c : net.configs()) {
    if (c.kind == Config::Kind::bias) {
      EDGETWIN_TRY(bias_exponent(net, c));
      note_clipped_bias(net, c);
    }
    if (c.kind == Config::Kind::follow) {
      c.exponent = net.decides(net.ops()[c.op].inputs[0]).exponent;
    }
  }
  return Ok{};
}

}  // namespace edgetwin::quantize
