// From the description that `compile` takes to a network that can be trained.
// Specification: training, 9.
#pragma once

#include <map>
#include <vector>

#include "base/result.h"
#include "train/network/network.h"

namespace edgetwin::train {

// What the description does not have.
struct BuildOptions {
  MapShape input;
  int classes = 0;  // outputs of the last layer with weights; 0: unknown
  // Output channels of the layers that have weights of their own, in order; of a checkpoint. May be
  // empty.
  std::vector<int> out_channels;
  // Names of their parameters; empty: the description's, or layer<N>.
  std::vector<std::string> names;
  bool bias = true;
  NormKind norm = NormKind::none;         // of all convolutions but the last layer with weights
  std::map<std::string, NormKind> norms;  // of single layers
  std::map<std::string, bool> biases;     // of single layers
  bool average_rounding = false;
};

// Errors: train_shapes, train_channels, train_key.
Result<Network> build_network(const ai8x::Network& description, const BuildOptions& options);

}  // namespace edgetwin::train
