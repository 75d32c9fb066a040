#include "quantize/tflite/quantize.h"

#include <algorithm>
#include <cmath>

#include "graph/uses.h"
#include "quantize/calibration/float_runs.h"
#include "quantize/calibration/observer.h"
#include "quantize/tflite/steps.h"
#include "transform/tflite_form/form.h"

namespace edgetwin::quantize {
namespace {

constexpr const char* kArithmetic = "tflite";

std::span<const float> sample_floats(ByteSpan data) {
  return {reinterpret_cast<const float*>(data.data()), data.size() / sizeof(float)};
}

Status check_samples(const Graph& graph, const std::vector<Sample>& samples) {
  if (samples.empty()) {
    return Error(ErrorCode::quant_calibration, "there is no calibration data");
  }
  for (size_t s = 0; s < samples.size(); ++s) {
    if (samples[s].size() != graph.inputs.size()) {
      return Error(ErrorCode::quant_calibration,
                   "sample " + std::to_string(s) + " has " + std::to_string(samples[s].size()) +
                       " tensors for " + std::to_string(graph.inputs.size()) + " inputs");
    }
    for (size_t i = 0; i < samples[s].size(); ++i) {
      const Tensor& given = samples[s][i];
      const Value& wanted = graph.value(graph.inputs[i]);
      if (given.dtype == DType::float32 && given.shape == wanted.shape) continue;
      return Error(ErrorCode::quant_calibration,
                   "sample " + std::to_string(s) + " of input '" + wanted.name + "' is " +
                       std::string(name(given.dtype)) + " " + to_string(given.shape) +
                       "; float32 " + to_string(wanted.shape) + " is wanted");
    }
  }
  return Ok{};
}

using StatisticsBySample = std::vector<std::vector<RangeStatistics>>;  // sample, value

Error not_finite(const Graph& graph, ValueId id) {
  return Error(ErrorCode::quant_not_finite,
               "the tensor '" + graph.value(id).name + "' holds NaN or infinity");
}

Result<StatisticsBySample> observe_samples(const std::shared_ptr<const Graph>& graph,
                                           const std::vector<Sample>& samples,
                                           const TfliteSettings& settings,
                                           const ProgressSink& progress) {
  StatisticsBySample seen(samples.size(), std::vector<RangeStatistics>(graph->values.size()));
  const bool percentile = settings.method == Method::percentile;
  Runs runs;
  runs.numerics = kArithmetic;
  runs.threads = settings.threads;
  runs.progress = progress;
  runs.what = "calibrating";
  const auto look_at = [&](size_t sample, const exec::Session& session) -> Status {
    for (size_t v = 0; v < graph->values.size(); ++v) {
      const Value& value = graph->values[v];
      if (value.dtype != DType::float32 || value.is_constant()) continue;
      const ByteSpan data = session.bytes(static_cast<ValueId>(v));
      if (data.empty()) continue;
      seen[sample][v] = observe(sample_floats(data), percentile);
      if (!seen[sample][v].finite) return not_finite(*graph, static_cast<ValueId>(v));
    }
    return Ok{};
  };
  EDGETWIN_TRY(run_samples(graph, samples, runs, look_at));
  return seen;
}

// Extremes of all samples, or the mean of their percentiles.
std::vector<RealRange> ranges_of(const StatisticsBySample& seen, Method method) {
  std::vector<RealRange> ranges(seen[0].size());
  const auto count = static_cast<float>(seen.size());
  for (size_t v = 0; v < ranges.size(); ++v) {
    for (const auto& sample : seen) {
      if (method == Method::percentile) {
        ranges[v].low += sample[v].low_percentile / count;
        ranges[v].high += sample[v].high_percentile / count;
      } else {
        ranges[v].take({sample[v].low, sample[v].high});
      }
    }
  }
  return ranges;
}

// What PADV2 puts around pictures for their maxima is no part of the range.
void forget_borders(const Graph& graph, std::vector<RealRange>& ranges) {
  for (const Op& op : graph.ops) {
    if (op.kind != OpKind::padv2) continue;
    ranges[static_cast<size_t>(op.outputs[0])] = ranges[static_cast<size_t>(op.inputs[0])];
  }
}

Activation activation_of(OpKind kind) {
  switch (kind) {
    case OpKind::relu:
      return Activation::relu;
    case OpKind::relu6:
      return Activation::relu6;
    case OpKind::relu_n1_to_1:
      return Activation::relu_n1_to_1;
    default:
      return Activation::none;
  }
}

// The activation after an operator that can do it itself.
void fuse_activations(Graph& graph) {
  const Uses uses(graph);
  std::vector<bool> fused(graph.ops.size(), false);
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    const Activation activation = activation_of(op.kind);
    if (activation == Activation::none) continue;
    const auto before = uses.producer(op.inputs[0]);
    // After an activation that is fused itself the producer has one already.
    if (!before || fused[*before] || uses.count(op.inputs[0]) != 1) continue;
    Activation* own = fused_activation(graph.ops[*before]);
    if (own == nullptr || *own != Activation::none) continue;
    *own = activation;
    graph.ops[*before].outputs[0] = op.outputs[0];
    fused[i] = true;
  }
  std::vector<Op> left;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    if (!fused[i]) left.push_back(std::move(graph.ops[i]));
  }
  graph.ops = std::move(left);
}

}  // namespace

Activation* fused_activation(Op& op) {
  if (auto* a = std::get_if<Conv2DAttrs>(&op.attrs)) return &a->activation;
  if (auto* a = std::get_if<FullyConnectedAttrs>(&op.attrs)) return &a->activation;
  if (auto* a = std::get_if<BinaryAttrs>(&op.attrs)) return &a->activation;
  return nullptr;
}

Result<TfliteQuantized> quantize_tflite(const Graph& network, const std::vector<Sample>& samples,
                                        const TfliteSettings& settings,
                                        const ProgressSink& progress) {
  if (settings.method != Method::minmax && settings.method != Method::percentile) {
    return Error(ErrorCode::quant_setting,
                 "TensorFlow Lite's affine ranges come from minmax or percentile, not " +
                     std::string(name(settings.method)));
  }
  EDGETWIN_TRY(require_layout(network, Layout::nhwc));
  EDGETWIN_TRY(check_samples(network, samples));
  auto graph = std::make_shared<Graph>(network);
  fuse_activations(*graph);
  EDGETWIN_TRY(check_tflite_operators(*graph));
  EDGETWIN_TRY_ASSIGN(const StatisticsBySample seen,
                      observe_samples(graph, samples, settings, progress));
  TfliteQuantized result;
  std::vector<RealRange> ranges = ranges_of(seen, settings.method);
  forget_borders(*graph, ranges);
  EDGETWIN_TRY_ASSIGN(Graph integers, to_integers(*graph, std::move(ranges), result.findings));
  EDGETWIN_TRY(verify_graph(integers));
  result.model.format = "tflite";
  result.model.description = "quantized by edgetwin";
  result.model.graphs.push_back(std::move(integers));
  return result;
}

std::vector<Sample> to_tflite_samples(const Graph& network, std::vector<Sample> samples) {
  for (Sample& sample : samples) {
    for (size_t i = 0; i < std::min(sample.size(), network.inputs.size()); ++i) {
      if (network.value(network.inputs[i]).shape.rank() != 4) continue;
      sample[i] = transform::to_channels_last(sample[i]);
    }
  }
  return samples;
}

}  // namespace edgetwin::quantize
