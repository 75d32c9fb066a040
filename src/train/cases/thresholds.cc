#include "train/layers/thresholds.h"

#include "train/cases/kinds.h"
#include "train/layers/layer.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

Result<CaseResults> compute_forward(const CaseEntry& entry, const CaseArrays& in,
                                    ThreadPool& pool) {
  EDGETWIN_TRY_ASSIGN(const Tensor* x, in.get("x"));
  EDGETWIN_TRY_ASSIGN(const Tensor* w, in.get("w"));
  EDGETWIN_TRY_ASSIGN(const Tensor* gy, in.get("gy"));
  const bool fits = x->shape.rank() == 4 && w->shape.rank() == 4 && x->shape[1] == w->shape[1];
  if (!fits) return broken(Rule::recorded_case, "the weights do not fit the input");
  LayerSpec spec;
  spec.op = ai8x::Operator::conv2d;
  spec.window.kernel = {static_cast<int>(w->shape[2]), static_cast<int>(w->shape[3])};
  spec.window.pad = {1, 1};
  spec.window.first = static_cast<int>(w->shape[0]);
  spec.window.second = static_cast<int>(w->shape[1]);
  EDGETWIN_TRY_ASSIGN(spec.activation, activation_of(entry));
  spec.wide = entry.boolean("wide", false);
  Phase phase;
  LayerQuantization& q = phase.quantization.emplace();
  q.bits = entry.integer("weight_bits", 8);
  q.quantile = static_cast<float>(entry.number("shift_quantile", 1));
  q.rule = QuantileRule::older;
  q.threshold = static_cast<int>(entry.number("activation_threshold", 0));
  q.final_scale = static_cast<int>(entry.number("final_scale", 0));
  LayerParameters p{.weights = float_values(*w), .bias = in.floats_or_none("b"), .norm = {}};
  const Maps input = maps_of(*x);
  const std::vector<const Maps*> sources = {&input};
  Tape tape;
  const Maps y = forward(spec, sources, p, phase, tape, pool);
  const Backward b = backward(spec, sources, p, tape, maps_of(*gy), true, pool);
  CaseResults results;
  results.add("y", y, 4);
  results.add("gx", b.sources[0], 4);
  results.add("gw", w->shape, std::span<const float>(b.gradients.weights));
  if (!p.bias.empty()) {
    results.add("gb", {w->shape[0]}, std::span<const float>(b.gradients.bias));
  }
  return results;
}

}  // namespace

Result<CaseResults> compute_threshold(const CaseEntry& entry, const CaseArrays& in,
                                      ThreadPool& pool) {
  if (file_has(entry, "forward")) return compute_forward(entry, in, pool);
  std::vector<BatchHistogram> batches;
  while (const Tensor* out = in.find("out" + std::to_string(batches.size()))) {
    const std::vector<float> values = float_values(*out);
    if (values.empty()) return broken(Rule::recorded_case, "a batch of outputs is empty");
    batches.push_back(histogram_of(values));
  }
  if (batches.empty()) return broken(Rule::recorded_case, "the case has no outputs");
  const Threshold t = activation_threshold(batches, static_cast<float>(entry.number("z_score", 8)));
  const auto length = [](size_t n) { return Shape{static_cast<int64_t>(n)}; };
  CaseResults results;
  results.add("edges", length(t.edges.size()), std::span<const float>(t.edges));
  results.add("merged_counts", length(t.counts.size()), std::span<const double>(t.counts));
  results.add("kept_edges", length(t.kept.size()), std::span<const float>(t.kept));
  results.add("t0", t.first);
  results.add("errors", length(t.errors.size()), std::span<const double>(t.errors));
  results.add("threshold", t.logarithm);
  return results;
}

}  // namespace edgetwin::train
