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

  bool judges_classes() const {
    return kind == LossKind::cross_entropy || kind == LossKind::distillation;
  }
};

struct ObjectiveLoss {
  double overall = 0, objective = 0;  // they differ with distillation only
  Maps gradient;                      // of the outputs
};

// `input` and `labels` are those of the batch, changed copies where training changes them.
ObjectiveLoss objective_loss(const Objective& objective, const Maps& outputs, const Maps& input,
                             std::span<const int64_t> labels, std::span<const float> values,
                             ThreadPool& pool);

// Real numbers that the outputs of a batch shall become, in the order of the maps.
std::vector<float> wanted_values(const Objective& objective, const Maps& outputs, const Maps& input,
                                 std::span<const float> values);

// Outputs in the order (channels, rows, columns) of the network's shape. Error: train_label where
// data, loss and outputs do not fit together.
Status check_objective(const Objective& objective, const Data& data, const Network& network);

}  // namespace edgetwin::train
