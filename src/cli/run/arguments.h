// The arguments of `run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/compute_arguments.h"
#include "cli/shared/device_arguments.h"
#include "cli/shared/max78_arguments.h"
#include "cli/shared/verb.h"
#include "cli/streams/stream_arguments.h"

namespace edgetwin::cli {

struct RunArguments {
  std::string model;
  std::vector<std::string> inputs;
  ComputeArguments compute;
  Output output, trace, report, image;
  std::string labels, decode;
  std::string like, params;  // pictures as ESP-DL brings them in
  std::vector<std::string> then, then_decode;
  std::string machine;                // "edgetpu", or empty
  std::optional<int64_t> interleave;  // order of its engines
  bool as_quantized = false;
  std::string mode;  // "ideal", "simulated" or empty
  Max78Arguments max78;
  std::optional<double> threshold;
  bool repeat = false;
  StreamArguments stream;
  DeviceArguments device;
};

void declare(OptionSet& options, RunArguments& a);
Result<int> execute(const RunArguments& a, Console& console);

}  // namespace edgetwin::cli
