// What a run minimizes: the loss of a batch and its gradient. Specification: training, 11.
#pragma once

#include <memory>

#include "train/data/data.h"
#include "train/network/model.h"
#include "train/settings/settings.h"

namespace edgetwin::train {

struct Objective {
  LossKind kind = LossKind::cross_entropy;
  std::vector<float> class_weights;  // empty: all 1
  DistillationOptions distillation;
  std::shared_ptr<Model> teacher;
  DetectorSettings detector;

  bool judges_classes() const {
    return kind == LossKind::cross_entropy || kind == LossKind::distillation;
  }
  bool detects() const { return kind == LossKind::multibox; }
};

// What is true of the items of a batch: as the objective needs it.
struct Truth {
  std::vector<int64_t> labels;
  std::vector<float> values;
  std::vector<ItemBoxes> boxes;
};
Truth truth_of(const Objective& objective, const DataSet& data, std::span<const uint32_t> indices,
               std::span<const Augmentation> steps = {}, uint64_t seed = 0, int epoch = 0);

struct ObjectiveLoss {
  double overall = 0, objective = 0;  // they differ with distillation only
  Maps gradient;                      // of the outputs
};

// `input` and `truth` are those of the batch, changed copies where training changes them.
ObjectiveLoss objective_loss(const Objective& objective, const Maps& outputs, const Maps& input,
                             const Truth& truth, ThreadPool& pool);

// What a score is made with: the plain loss, without weights of classes and teachers.
Objective plain_of(const Objective& objective);

// Objects with the background as class 0.
Objects objects_of(const ItemBoxes& boxes);
// What the outputs of each picture of a batch find.
std::vector<std::vector<Detection>> found_in(const DetectorSettings& detector, const Maps& outputs);

// Real numbers that the outputs of a batch shall become, in the order of the maps.
std::vector<float> wanted_values(const Objective& objective, const Maps& outputs, const Maps& input,
                                 std::span<const float> values);

// Outputs in the order (channels, rows, columns) of the network's shape. Error: train_label where
// data, loss and outputs do not fit together.
Status check_objective(const Objective& objective, const Data& data, const Network& network);

}  // namespace edgetwin::train
