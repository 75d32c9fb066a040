#include "train/run/stepper.h"

#include <cmath>

#include "train/network/parameters.h"
#include "train/rules/rules.h"
#include "train/run/evaluate.h"

namespace edgetwin::train {

Status Stepper::step(size_t number, std::span<const uint32_t> part, StepSums& sums) {
  Recording recording;
  Model& model = setup.model;
  const DataSet& data = setup.data.train;
  const uint64_t seed = settings.seed;
  forward(model, data.augmented(part, settings.augment, seed, epoch), true, recording, pool);
  EDGETWIN_TRY(check_shifts(recording));
  const size_t last = model.network.outputs()[0];
  std::vector<int64_t> labels;
  if (setup.objective.judges_classes()) {
    labels = data.augmented_labels(part, settings.augment, seed, epoch);
  }
  const Maps& outputs = recording.outputs[last];
  ObjectiveLoss loss = objective_loss(setup.objective, outputs, recording.input, labels,
                                      data.batch_values(part), pool);
  if (!std::isfinite(loss.overall)) return not_finite(number, recording);
  for (size_t i = 0; i < labels.size(); ++i) {
    const float* own = outputs.values.data() + i * static_cast<size_t>(outputs.c);
    if (best_class(own, outputs.c) == labels[i]) ++sums.right;
  }
  sums.judged += static_cast<int64_t>(labels.size());
  sums.overall += loss.overall * static_cast<double>(part.size());
  sums.objective += loss.objective * static_cast<double>(part.size());
  std::vector<std::pair<size_t, Maps>> gradients;
  gradients.emplace_back(last, std::move(loss.gradient));
  const auto own = backward(model, recording, std::move(gradients), pool);
  for_each_parameter(model, &own, [&](const ParameterRef& p) {
    const std::string layer = p.name.substr(0, p.name.rfind('.', p.name.rfind('.') - 1));
    if (!setup.frozen.contains(layer)) optimizer.step(p.name, *p.values, *p.gradient);
  });
  return Ok{};
}

// The chip adds 8 - bits to a shift; the sum must be within its range.
Status Stepper::check_shifts(const Recording& recording) const {
  for (size_t i = 0; i < recording.tapes.size(); ++i) {
    const auto& scale = recording.tapes[i].scale;
    if (!scale || std::abs(scale->shift + 8 - scale->bits) <= kLargestShift) continue;
    return broken(Rule::shift, "the output shift is beyond the range of the chip")
        .in_layer(setup.model.network.layers[i].name)
        .detail("shift " + std::to_string(scale->shift) + " + 8 - " + std::to_string(scale->bits) +
                " bits must be within -15 .. 15");
  }
  return Ok{};
}

// The first layer with a value that is not finite.
Error Stepper::not_finite(size_t number, const Recording& recording) const {
  Error error = broken(Rule::not_finite, "epoch " + std::to_string(epoch) + ", step " +
                                             std::to_string(number) + ": the loss is not finite");
  error.details.push_back("learning rate " + std::to_string(optimizer.options().rate));
  for (size_t i = 0; i < recording.outputs.size(); ++i) {
    const auto& values = recording.outputs[i].values;
    if (std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) {
      continue;
    }
    float largest = 0;
    for (const float w : setup.model.parameters[setup.model.network.owner(i)].weights) {
      largest = std::max(largest, std::abs(w));
    }
    error.details.push_back("largest weight of the layer: " + std::to_string(largest));
    error.place.layer = setup.model.network.layers[i].name;
    return error;
  }
  return error;
}

}  // namespace edgetwin::train
