// Losses and their gradients with respect to the network's outputs. Sums are binary64 in the order
// of the data. Specification: training, 11.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "train/engine/maps.h"

namespace edgetwin::train {

struct Loss {
  double value = 0;
  Maps gradient;  // of the outputs
};

// The mean over pictures and places of log-sum-exp minus the target's output; channels are classes.
// `targets`: a class per place, in the order of the maps. With `class_weights` (empty: all 1) the
// weighted mean.
Loss cross_entropy(const Maps& outputs, std::span<const int64_t> targets,
                   std::span<const float> class_weights = {});

// The mean over all elements of the squared distance. `targets` in the order of the maps.
Loss mean_square_error(const Maps& outputs, std::span<const float> targets);

struct DistillationOptions {
  double temperature = 1;
  double distill_weight = 0;
  double student_weight = 1;
};

struct Distillation {
  double student = 0;     // cross entropy
  double divergence = 0;  // of both softmax at the temperature, mean over the batch
  Loss total;             // student_weight * student + distill_weight * temperature^2 * divergence
};

Distillation distillation(const Maps& student, const Maps& teacher,
                          std::span<const int64_t> targets, const DistillationOptions& options);

// log(sum(exp(values))) of `count` numbers, each divided by `temperature`.
double log_sum_exp(const float* values, int count, double temperature = 1);

}  // namespace edgetwin::train
