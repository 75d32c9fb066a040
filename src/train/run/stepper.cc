#include "train/run/stepper.h"

#include <cmath>

#include "train/layers/weights.h"
#include "train/network/parameters.h"
#include "train/rules/rules.h"
#include "train/score/evaluate.h"

namespace edgetwin::train {

Status Stepper::step(size_t number, std::span<const uint32_t> part, StepSums& sums) {
  Recording recording;
  Model& model = setup.model;
  const DataSet& data = setup.data.train;
  const uint64_t seed = settings.seed;
  const Dropout dropout{seed, static_cast<uint64_t>(epoch), number};
  forward(model, data.augmented(part, settings.augment, seed, epoch, &pool), true, recording, pool,
          &dropout);
  EDGETWIN_TRY(check_shifts(number, recording));
  const size_t last = model.network.outputs()[0];
  const Truth truth = truth_of(setup.objective, data, part, settings.augment, seed, epoch);
  const std::vector<int64_t>& labels = truth.labels;
  const Maps& outputs = recording.outputs[last];
  ObjectiveLoss loss = objective_loss(setup.objective, outputs, recording.input, truth, pool);
  if (!std::isfinite(loss.overall)) return not_finite(number, recording);
  sums.last = {.judged = static_cast<int64_t>(labels.size())};
  sums.has_five = outputs.c > 5;
  for (size_t i = 0; i < labels.size(); ++i) {
    const float* own = outputs.values.data() + i * static_cast<size_t>(outputs.c);
    if (best_class(own, outputs.c) == labels[i]) ++sums.last.right;
    if (among_five(own, outputs.c, labels[i])) ++sums.last.among_five;
  }
  sums.all.judged += sums.last.judged;
  sums.all.right += sums.last.right;
  sums.all.among_five += sums.last.among_five;
  sums.overall += loss.overall * static_cast<double>(part.size());
  sums.objective += loss.objective * static_cast<double>(part.size());
  std::vector<std::pair<size_t, Maps>> gradients;
  gradients.emplace_back(last, std::move(loss.gradient));
  const auto own = backward(model, recording, std::move(gradients), pool);
  EDGETWIN_TRY(check_gradients(number, recording, own));
  for_each_parameter(model, &own, [&](const ParameterRef& p) {
    const std::string layer = p.name.substr(0, p.name.rfind('.', p.name.rfind('.') - 1));
    if (!setup.frozen.contains(layer)) optimizer.step(p.name, *p.values, *p.gradient);
  });
  return Ok{};
}

// A gradient may leave the range of binary32 where the loss does not.
Status Stepper::check_gradients(size_t number, const Recording& recording,
                                const std::vector<LayerGradients>& gradients) const {
  for (size_t i = 0; i < gradients.size(); ++i) {
    const auto& w = gradients[i].weights;
    if (std::all_of(w.begin(), w.end(), [](float v) { return std::isfinite(v); })) continue;
    Error error =
        broken(Rule::not_finite, "epoch " + std::to_string(epoch) + ", step " +
                                     std::to_string(number) + ": a gradient is not finite");
    error.details = numbers_of(i, recording);
    error.place.layer = setup.model.network.layers[i].name;
    return error;
  }
  return Ok{};
}

// What may have made a layer's numbers so large.
std::vector<std::string> Stepper::numbers_of(size_t layer, const Recording& recording) const {
  const auto largest_of = [](std::span<const float> values) {
    float largest = 0;
    for (const float v : values) largest = std::max(largest, std::abs(v));
    return std::to_string(largest);
  };
  const size_t owner = setup.model.network.owner(layer);
  return {"learning rate " + std::to_string(optimizer.options().rate),
          "largest input of the layer: " +
              largest_of(sum_input(setup.model.network, recording, layer).values),
          "largest weight of the layer: " + largest_of(setup.model.parameters[owner].weights)};
}

// The chip adds 8 - bits to a shift; the sum must be within its range.
Status Stepper::check_shifts(size_t number, const Recording& recording) {
  count_changes(recording);
  for (size_t i = 0; i < recording.tapes.size(); ++i) {
    const auto& scale = recording.tapes[i].scale;
    if (!scale) continue;
    const int shift = chip_shift(*scale, *recording.tapes[i].phase.quantization);
    if (std::abs(shift + 8 - scale->bits) <= kLargestShift) continue;
    return broken(Rule::shift, "epoch " + std::to_string(epoch) + ", step " +
                                   std::to_string(number) +
                                   ": the output shift leaves the range of the chip")
        .in_layer(setup.model.network.layers[i].name)
        .detail(numbers_of(i, recording)[2])
        .detail("shift " + std::to_string(shift) + " + 8 - " + std::to_string(scale->bits) +
                " bits must be within -15 .. 15");
  }
  return Ok{};
}

void Stepper::count_changes(const Recording& recording) {
  const size_t layers = recording.tapes.size();
  const bool first = shifts.empty();
  shifts.resize(layers);
  changes.resize(layers);
  for (size_t i = 0; i < layers; ++i) {
    const auto& scale = recording.tapes[i].scale;
    if (!scale) continue;
    changes[i] += !first && scale->shift != shifts[i] ? 1 : 0;
    shifts[i] = scale->shift;
  }
}

// The first layer with a value that is not finite.
Error Stepper::not_finite(size_t number, const Recording& recording) const {
  Error error = broken(Rule::not_finite, "epoch " + std::to_string(epoch) + ", step " +
                                             std::to_string(number) + ": the loss is not finite");
  for (size_t i = 0; i < recording.outputs.size(); ++i) {
    const auto& values = recording.outputs[i].values;
    if (std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) {
      continue;
    }
    error.details = numbers_of(i, recording);
    error.place.layer = setup.model.network.layers[i].name;
    return error;
  }
  error.details.push_back("learning rate " + std::to_string(optimizer.options().rate));
  return error;
}

}  // namespace edgetwin::train
