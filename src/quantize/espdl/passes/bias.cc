// Rounded weights shift the mean of every channel. A layer is linear: the shift is the layer with
// the weights' errors for weights, applied to the mean of its inputs, borders included.
#include <algorithm>
#include <cstring>

#include "quantize/calibration/float_runs.h"
#include "quantize/espdl/passes/passes.h"
#include "quantize/espdl/plan/parameters.h"

namespace edgetwin::quantize {
namespace {

bool has_bias(const Op& op) {
  const bool kind = op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d ||
                    op.kind == OpKind::fully_connected;
  return kind && op.has_input(2);
}

std::shared_ptr<const Bytes> constant_of(const std::vector<float>& values) {
  Bytes data(values.size() * sizeof(float));
  std::memcpy(data.data(), values.data(), data.size());
  return std::make_shared<const Bytes>(std::move(data));
}

std::vector<float> weight_errors(const Plan& plan, const OperandQuant& c) {
  const Value& v = plan.graph().value(c.value);
  const auto exact = floats_of(v);
  std::vector<float> errors(exact.begin(), exact.end());
  fake_quantize(errors, c.exponent, inner_elements(v, c.axis), integer_spec(c, plan.settings()));
  for (size_t i = 0; i < errors.size(); ++i) errors[i] -= exact[i];
  return errors;
}

// Mean of the input of every such layer over the samples; summed in the order of the samples.
using Means = std::vector<std::vector<double>>;  // by operator

Result<Means> input_means(const Graph& graph, const std::vector<Sample>& samples, int threads) {
  Means means(graph.ops.size());
  Runs runs;
  runs.threads = threads;
  const auto shared = std::make_shared<const Graph>(graph);
  // One sample after the other: the sums must not depend on who is first.
  for (const Sample& sample : samples) {
    const auto add = [&](size_t, const exec::Session& s) -> Status {
      for (size_t i = 0; i < graph.ops.size(); ++i) {
        if (!has_bias(graph.ops[i])) continue;
        const ByteSpan bytes = s.bytes(graph.ops[i].inputs[0]);
        const std::span<const float> x{reinterpret_cast<const float*>(bytes.data()),
                                       bytes.size() / sizeof(float)};
        means[i].resize(x.size());
        for (size_t k = 0; k < x.size(); ++k) means[i][k] += static_cast<double>(x[k]);
      }
      return Ok{};
    };
    EDGETWIN_TRY(run_samples(shared, std::span(&sample, 1), runs, add));
  }
  for (auto& m : means) {
    for (double& x : m) x /= static_cast<double>(samples.size());
  }
  return means;
}

// What the errors make of the mean input, averaged over each channel.
Result<std::vector<double>> shifts(const Plan& plan, size_t index,
                                   const std::vector<double>& mean) {
  const Graph& graph = plan.graph();
  const Op& op = graph.ops[index];
  const QuantId weights = plan.ops()[index].inputs[1];
  Graph one;
  one.values = {graph.value(op.inputs[0]), graph.value(op.inputs[1]), graph.value(op.outputs[0])};
  one.values[0].constant = nullptr;
  one.values[1].constant = constant_of(weight_errors(plan, plan.quant(weights)));
  Op layer = op;
  layer.inputs = {0, 1};
  layer.outputs = {2};
  one.ops = {layer};
  one.inputs = {0};
  one.outputs = {2};
  exec::Options options;
  options.numerics = kFloatNumerics;
  EDGETWIN_TRY_ASSIGN(auto session,
                      exec::Session::create(std::make_shared<const Graph>(one), options));
  std::vector<float> input(mean.begin(), mean.end());
  EDGETWIN_TRY(session.set_input(0, *constant_of(input)));
  EDGETWIN_TRY(session.run());
  const Tensor out = session.output(0);
  const auto channels = static_cast<size_t>(graph.value(op.inputs[2]).shape.elements());
  const bool matrix = op.kind == OpKind::fully_connected;
  const auto inner =
      matrix ? size_t{1} : static_cast<size_t>(out.shape.elements(2, out.shape.rank()));
  std::vector<double> sums(channels);
  const auto values = out.as<float>();
  for (size_t i = 0; i < values.size(); ++i)
    sums[i / inner % channels] += static_cast<double>(values[i]);
  for (double& s : sums) s *= static_cast<double>(channels) / static_cast<double>(values.size());
  return sums;
}

}  // namespace

Result<Graph> correct_biases(const Plan& plan, const std::vector<Sample>& samples) {
  Graph graph = plan.graph();
  EDGETWIN_TRY_ASSIGN(const Means means, input_means(graph, samples, plan.settings().threads));
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    if (!has_bias(graph.ops[i]) || plan.ops()[i].bits == 0) continue;
    EDGETWIN_TRY_ASSIGN(const std::vector<double> shift, shifts(plan, i, means[i]));
    Value bias = graph.value(graph.ops[i].inputs[2]);
    const auto before = floats_of(bias);
    std::vector<float> after(before.begin(), before.end());
    for (size_t c = 0; c < after.size(); ++c) {
      after[c] = static_cast<float>(static_cast<double>(after[c]) - shift[c % shift.size()]);
    }
    bias.constant = constant_of(after);
    graph.values.push_back(std::move(bias));  // another layer may share the old one
    graph.ops[i].inputs[2] = static_cast<ValueId>(graph.values.size() - 1);
  }
  return graph;
}

}  // namespace edgetwin::quantize
