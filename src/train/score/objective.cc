#include "train/score/objective.h"

#include "train/losses/detections.h"
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

ObjectiveLoss multibox_loss(const DetectorSettings& detector, const Maps& outputs,
                            const std::vector<ItemBoxes>& boxes) {
  std::vector<Objects> objects;
  for (const ItemBoxes& b : boxes) objects.push_back(objects_of(b));
  const HeadOutputs head = split_head(outputs, static_cast<int>(detector.priors.size()));
  const std::vector<Box> priors = grid_priors(outputs.h, outputs.w, detector.priors);
  const Multibox m = multibox(head.location, head.scores, priors, objects, detector.loss);
  return {m.loss, m.loss, joined_head(m.location_gradient, m.score_gradient, outputs)};
}

Status check_detector(const Objective& objective, const Data& data, const Network& network,
                      const NetworkLayer& last) {
  if (data.train.kind != TargetKind::boxes) {
    return no_fit(network, last, "the data no boxes, which `loss: {multibox: ..}` learns")
        .with_hint("Give images/ with boxes.csv, or another loss.");
  }
  const auto classes = static_cast<int>(data.classes.size());
  const int wanted = objective.detector.channels(classes);
  if (last.output.c == wanted) return Ok{};
  const std::string priors = std::to_string(objective.detector.priors.size());
  return no_fit(network, last,
                "a detector needs " + std::to_string(wanted) + " channels: " + priors +
                    " priors of 4 numbers, the background and " + std::to_string(classes) +
                    " classes")
      .with_hint("Write `out_channels: " + std::to_string(wanted) + "` at the last layer.");
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

Truth truth_of(const Objective& objective, const DataSet& data, std::span<const uint32_t> indices,
               std::span<const Augmentation> steps, uint64_t seed, int epoch) {
  Truth truth;
  if (objective.judges_classes()) {
    truth.labels = data.augmented_labels(indices, steps, seed, epoch);
  }
  truth.values = data.batch_values(indices);
  truth.boxes = data.batch_boxes(indices, steps, seed, epoch);
  return truth;
}

Objective plain_of(const Objective& objective) {
  Objective plain;
  plain.kind = objective.judges_classes() ? LossKind::cross_entropy : objective.kind;
  plain.detector = objective.detector;
  return plain;
}

Objects objects_of(const ItemBoxes& boxes) {
  Objects objects{.boxes = boxes.corners, .labels = boxes.labels};
  for (int64_t& label : objects.labels) ++label;
  return objects;
}

std::vector<std::vector<Detection>> found_in(const DetectorSettings& detector,
                                             const Maps& outputs) {
  const HeadOutputs head = split_head(outputs, static_cast<int>(detector.priors.size()));
  const std::vector<Box> priors = grid_priors(outputs.h, outputs.w, detector.priors);
  std::vector<std::vector<Detection>> found;
  for (int i = 0; i < outputs.n; ++i) {
    found.push_back(detections(head.location.at(i, 0, 0), head.scores.at(i, 0, 0), head.scores.c,
                               priors, detector.found));
  }
  return found;
}

ObjectiveLoss objective_loss(const Objective& objective, const Maps& outputs, const Maps& input,
                             const Truth& truth, ThreadPool& pool) {
  if (objective.detects()) return multibox_loss(objective.detector, outputs, truth.boxes);
  const std::vector<int64_t>& labels = truth.labels;
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
  const std::vector<float> wanted = wanted_values(objective, outputs, input, truth.values);
  Loss loss = mean_square_error(outputs, wanted);
  return {loss.value, loss.value, std::move(loss.gradient)};
}

Status check_objective(const Objective& objective, const Data& data, const Network& network) {
  const NetworkLayer& last = network.layers[network.outputs()[0]];
  if (objective.detects()) return check_detector(objective, data, network, last);
  if (data.train.kind == TargetKind::boxes) {
    return no_fit(network, last, "the data boxes, which are learnt by another loss")
        .with_hint("Set `loss: {multibox: {priors: [..]}}`, or give data with classes.");
  }
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
