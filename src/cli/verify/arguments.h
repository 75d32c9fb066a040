// The arguments of `verify`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/compute_arguments.h"
#include "cli/shared/device_arguments.h"
#include "cli/shared/max78_arguments.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct VerifyArguments {
  std::string model;                // empty: only a log is read
  std::string other;                // B, compared with the model; empty: there is none
  std::optional<double> tolerance;  // of A and B
  std::vector<std::string> inputs;  // of a .tflite model
  ComputeArguments compute;
  std::vector<std::string> logs;
  Output report;
  Output output;         // of a folder: its lines as JSON
  std::string shard;     // "K/N", of a folder
  Max78Arguments max78;  // of register programs
  std::string expected;
  uint64_t step_limit = 400'000'000;
  DeviceArguments device;
  std::optional<int64_t> interleave;  // order of a compiled model's engines
  std::string silicon;                // folder of recorded device results
  std::vector<std::string> models;
  bool from_compiled = false;
  bool transform = false;       // MODEL is a Fourier transform
  std::string order;            // of its samples
  std::optional<double> least;  // decibels
};

void declare(OptionSet& options, VerifyArguments& a);
Result<int> execute(const VerifyArguments& a, Console& console);

}  // namespace edgetwin::cli
