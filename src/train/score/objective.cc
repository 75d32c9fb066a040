#include "train/score/objective.h"

#include "train/losses/losses.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

std::string text(const MapShape& s) {
  return std::to_string(s.c) + "x" + std::to_string(s.size.h) + "x" + std::to_string(s.size.w);
}

Error no_fit(const Network& network, const NetworkLayer& last, const std::string& wanted) {
  return broken(Rule::label, "the network has outputs of " + text(last.output) + ", " + wanted)
      .in_file(network.file)
      .in_layer(last.name);
}

}  // namespace

std::vector<float> wanted_values(const Objective& objective, const Maps& outputs, const Maps& input,
                                 std::span<const float> values) {
  if (objective.kind == LossKind::autoencoder) {
    return {input.values.begin(), input.values.end()};
  }
  // Values come in the order (channels, rows, columns).
  const Maps maps = from_planes(values, outputs.n, {outputs.c, {outputs.h, outputs.w}});
  return {maps.values.begin(), maps.values.end()};
}

ObjectiveLoss objective_loss(const Objective& objective, const Maps& outputs, const Maps& input,
                             std::span<const int64_t> labels, std::span<const float> values,
                             ThreadPool& pool) {
  if (objective.kind == LossKind::cross_entropy) {
    Loss loss = cross_entropy(outputs, labels, objective.class_weights);
    return {loss.value, loss.value, std::move(loss.gradient)};
  }
  if (objective.kind == LossKind::distillation) {
    Recording recording;
    forward(*objective.teacher, input, false, recording, pool);
    const Maps& teacher = recording.outputs[objective.teacher->network.outputs()[0]];
    Distillation d = distillation(outputs, teacher, labels, objective.distillation);
    return {d.total.value, d.student, std::move(d.total.gradient)};
  }
  const std::vector<float> wanted = wanted_values(objective, outputs, input, values);
  Loss loss = mean_square_error(outputs, wanted);
  return {loss.value, loss.value, std::move(loss.gradient)};
}

Status check_objective(const Objective& objective, const Data& data, const Network& network) {
  const NetworkLayer& last = network.layers[network.outputs()[0]];
  if (objective.kind == LossKind::autoencoder) {
    const PictureSize in = data.train.input();
    const MapShape shape = {in.channels, {in.height, in.width}};
    if (last.output == shape) return Ok{};
    return no_fit(network, last, "an autoencoder needs those of its input, " + text(shape));
  }
  if (objective.kind == LossKind::mse) {
    if (data.train.kind == TargetKind::values && data.train.value_count == last.output.elements()) {
      return Ok{};
    }
    return no_fit(network, last,
                  data.train.kind == TargetKind::values
                      ? "the data " + std::to_string(data.train.value_count) + " numbers an item"
                      : "the data classes: `loss: mse` needs numbers");
  }
  if (data.train.kind == TargetKind::values) {
    return no_fit(network, last, "the data numbers instead of classes: `loss: mse` learns them");
  }
  const auto classes = static_cast<int>(data.classes.size());
  const bool masks = data.train.kind == TargetKind::masks;
  const PictureSize in = data.train.input();
  const MapShape wanted = {classes, masks ? Pair{in.height, in.width} : Pair{1, 1}};
  if (last.output == wanted) return Ok{};
  const std::string places =
      masks ? " at " + std::to_string(in.height) + "x" + std::to_string(in.width) + " places" : "";
  return no_fit(network, last, "the data " + std::to_string(classes) + " classes" + places);
}

}  // namespace edgetwin::train
