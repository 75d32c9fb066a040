// What integers stand for beside float32: signal over noise, layer by layer.
#pragma once

#include <string>
#include <vector>

#include "edgetwin/runner.h"

namespace edgetwin::serve {

// The numbers that a tensor stands for.
std::vector<double> reals_of(const Tensor& tensor);

// Signal over noise in decibels, -40 to 120; `fitted`: after the scale of `got` that fits best.
double decibels(const std::vector<double>& wanted, const std::vector<double>& got, bool fitted);

struct LayerSignal {
  std::string layer, tensor;  // of the float network
  double db = 0;
};

// Layers that both runs have, in the order of `chip`: of the same tensor's name, or of the same
// layer's name, then with the ReLU behind it if that fits better. Channels of `real` come before
// rows; those of `chip` after columns, or before rows too. Layers that only move data are left out.
std::vector<LayerSignal> signals_of(const Run& chip, const Run& real, bool fitted);

}  // namespace edgetwin::serve
