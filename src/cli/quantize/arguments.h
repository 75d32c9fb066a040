// The arguments of `quantize`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

// Of float networks.
struct QuantizeNetworkArguments {
  std::vector<std::string> calibrate, shapes, layer_bits, weight_bits;
  std::vector<float> mean, std;
  std::vector<std::string> lut, lut_formulas;
  std::vector<std::string> with, without;  // passes
  std::string resize = "bilinear", method, like, params, runtime;
  Output report, image;
  int bits = 8, samples = 32, steps = 0, threads = 1;
  std::optional<int> step;
  bool high_precision = false, analyse = false, search = false, verify = false;
  std::optional<double> decibels;
  std::optional<int64_t> most_bytes;
  std::string shard, measured;  // "K/N"; a file of points
};

struct QuantizeArguments {
  std::string checkpoint, target, network;
  Output output;
  std::string clip_method = "MAX_BIT_SHIFT";
  double scale = 0.85, stddev = 2.0, bn_epsilon = 1e-20;
  int bits = 0;
  bool upstream_bugs = false;
  QuantizeNetworkArguments network_options;  // of float networks
};

void declare(OptionSet& options, QuantizeArguments& a);
Result<int> execute(const QuantizeArguments& a, Console& console);

}  // namespace edgetwin::cli
