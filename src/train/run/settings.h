// What a training run is asked to do. Specification: training, 8, 9, 18.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "formats/ai8x/network.h"
#include "train/data/augment.h"
#include "train/network/network.h"
#include "train/optim/optimizer.h"
#include "train/optim/schedule.h"

namespace edgetwin::train {

// Of one layer, in a policy.
struct LayerOverride {
  std::optional<int> bits;
  std::optional<float> quantile;
  Place place;  // in the policy
};

struct RunSettings {
  std::filesystem::path description, data, output;
  ai8x::Device device = ai8x::Device::max78000;
  int epochs = 90, batch = 256;
  OptimizerOptions optimizer;
  std::optional<SchedulePolicy> schedule;
  std::optional<int> qat_start = 30;  // epoch; empty: quantization never takes part
  std::optional<int> weight_bits;     // where the description does not say; 8
  float shift_quantile = 1;
  std::map<std::string, LayerOverride> overrides;  // by the name of the layer
  bool bias = true;
  NormKind norm = NormKind::none;
  double validation = 0.1;            // part of the training items; 0: the test items validate
  std::vector<Augmentation> augment;  // of training items, in this order
  bool he_fan_out = false;            // InitKind of new parameters
  std::optional<int> patience;        // epochs after the best one of a phase before the run ends
  uint64_t seed = 0;
  int threads = 1;
  std::filesystem::path resume, init;  // checkpoints; empty: none
  bool events = true;                  // TensorBoard's event file
  std::string command;                 // for it; empty: left out
  // Lines of the log, each with its newline.
  std::function<void(const std::string&)> log;
};

}  // namespace edgetwin::train
