// What a training run is asked to do. Specification: training, 8, 9, 18.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "formats/ai8x/network.h"
#include "train/network/network.h"
#include "train/optim/optimizer.h"
#include "train/optim/schedule.h"

namespace edgetwin::train {

struct RunSettings {
  std::filesystem::path description, data, output;
  ai8x::Device device = ai8x::Device::max78000;
  int epochs = 90, batch = 256;
  OptimizerOptions optimizer;
  std::optional<SchedulePolicy> schedule;
  std::optional<int> qat_start = 30;  // epoch; empty: quantization never takes part
  std::optional<int> weight_bits;     // where the description does not say; 8
  float shift_quantile = 1;
  bool bias = true;
  NormKind norm = NormKind::none;
  double validation = 0.1;  // part of the training items; 0: the test items validate
  uint64_t seed = 0;
  int threads = 1;
  std::filesystem::path resume, init;  // checkpoints; empty: none
  // Lines of the log, each with its newline.
  std::function<void(const std::string&)> log;
};

}  // namespace edgetwin::train
