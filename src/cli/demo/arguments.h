// The arguments of `demo`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/shared/device_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct DemoArguments {
  std::string module;
  // of all
  std::string numerics = "edgetpu", model;
  DeviceArguments device;
  // of those that see
  std::string camera;
  Output output;
  int width = 640, height = 480, fps = 30, frames = 30;
  // of some
  int image_size = 64, kernel_size = 16, channels = 1, search_range = 4;
  std::optional<int> pool_factor;  // without it that of the module
  int dim = 256, iterations = 1000, input_dim = 4, top_k = 3, max_gallery = 10, ttc_window = 10;
  double servo_gain = 1.0, threshold = 0.1, tau_threshold = 1.2, temperature = 0.1, fov_deg = 90.0;
  double spectral_radius = 0.95, leak_rate = 1.0, input_scaling = 0.1;
  uint64_t seed = 0;
  std::optional<bool> pooled;
  bool verify = false;
  std::optional<int> fit;
  int warmup = 0;
  double ridge = 1e-6;
  bool replica = false;
  std::string decode, labels;
  std::optional<double> score;
  std::string variant = "bright", pattern, activation = "tanh", load_db;
  Output save_db;
};

Result<int> execute(const DemoArguments& a, Console& console);

}  // namespace edgetwin::cli
