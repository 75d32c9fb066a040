#include "train/run/quantization_start.h"

#include <cmath>

#include "train/layers/weights.h"
#include "train/report/epoch_events.h"
#include "train/run/lines.h"
#include "train/score/threshold_search.h"

namespace edgetwin::train {
namespace {

std::vector<float> outputs_of(Setup& setup, const DataSet& data, std::span<const uint32_t> indices,
                              ThreadPool& pool, Observer& observer) {
  std::vector<float> all;
  evaluate(
      setup.model, setup.objective, data, indices, pool,
      [&](const Maps& outputs, const IntMaps&) {
        all.insert(all.end(), outputs.values.begin(), outputs.values.end());
      },
      &observer);
  return all;
}

// The root of the mean square of `values`, or of their distance from `others`.
double root_mean_square(const std::vector<float>& values, const std::vector<float>* others) {
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double v = static_cast<double>(values[i]) -
                     (others == nullptr ? 0 : static_cast<double>((*others)[i]));
    sum += v * v;
  }
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

std::string thresholds_text(const Model& model) {
  std::string text;
  for (size_t i = 0; i < model.network.layers.size(); ++i) {
    const LayerQuantization& q = model.quantization[i];
    if (model.parameters[i].weights.empty()) continue;
    text += format_line("  %s: activation threshold 2^%d", model.network.layers[i].name.c_str(),
                        q.threshold);
    if (q.final_scale != 0) {
      text += format_line(", outputs are multiplied by 2^%d outside of the chip", q.final_scale);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

Model ready_model(const Setup& setup, std::span<const uint32_t> indices, float z_score,
                  ThreadPool& pool) {
  Model model = setup.model;
  if (model.unlimited()) {
    start_with_thresholds(model, setup.data.train, indices, z_score, pool);
  }
  return model;
}

std::string begin_quantization(Setup& setup, float z_score, const DataSet& data,
                               std::span<const uint32_t> indices, ThreadPool& pool) {
  Observer ignored(false, false), observer(false);
  const std::vector<float> before = outputs_of(setup, data, indices, pool, ignored);
  const bool thresholds = setup.model.method == QuantizationMethod::thresholds;
  if (thresholds) {
    start_with_thresholds(setup.model, setup.data.train, setup.training, z_score, pool);
  } else {
    start_quantization(setup.model);
  }
  std::vector<float> after = outputs_of(setup, data, indices, pool, observer);
  std::string text = thresholds ? thresholds_text(setup.model) : "";
  for (const LayerRow& r : observed_rows(setup.model, 0, observer)) {
    text += format_line(
        "  %s: shift %d, largest weight %.6g, %.2f %% of the weights saturated, outputs at the "
        "limits %.2f %% and %.2f %%\n",
        r.layer.c_str(), r.shift, r.largest, r.saturated, r.low, r.high);
  }
  const size_t last = setup.model.network.outputs()[0];
  if (!thresholds && setup.model.network.layers[last].spec.wide) {
    text += "  32-bit outputs are not scaled back: their loss changes by a power of two here\n";
    const LayerParameters& p = setup.model.parameters[setup.model.network.owner(last)];
    const LayerQuantization& q = setup.model.quantization[setup.model.network.owner(last)];
    const auto back = static_cast<float>(std::ldexp(1.0, weight_scale(p.weights, p.bias, q).shift));
    for (float& v : after) v *= back;
  }
  return text + format_line(
                    "  outputs of the validation: root mean square %.6g, their distance from those "
                    "before %.6g\n",
                    root_mean_square(before, nullptr), root_mean_square(after, &before));
}

}  // namespace edgetwin::train
