// Activation thresholds of a whole network by the vendor's newer method: which values share one,
// and what a layer's parameters become. Specification: training, 6.
#pragma once

#include <span>
#include <vector>

#include "train/network/model.h"

namespace edgetwin::train {

// Logarithms to base 2 of what the values of a layer need.
struct ValueThresholds {
  int sum = 0;     // operands joined by the layer
  int output = 0;  // of a layer with weights
};

// The logarithm that each layer reads and gives. The network's input has 0.
struct LayerScales {
  int input = 0, output = 0;
};

// Operands of one sum have the sum's, sources that are joined along channels and those of layers
// with shared parameters the largest of their group, a layer without weights gives what it reads.
std::vector<LayerScales> layer_scales(const Network& network,
                                      std::span<const ValueThresholds> found);

// Sets thresholds and final scales, and divides biases by what their layer reads. Layers whose
// outputs other layers read, and those without weights, have no final scale.
void apply_thresholds(Model& model, std::span<const ValueThresholds> found);

}  // namespace edgetwin::train
