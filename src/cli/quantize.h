// `quantize` by kind of network.
#pragma once

#include "cli/arguments.h"
#include "cli/console.h"

namespace edgetwin::cli {

// cmd_quantize_onnx.cc: a float network for ESP-DL.
Result<int> quantize_network(const QuantizeArguments& a, const std::vector<std::string>& words,
                             Console& console);
// cmd_quantize_tflite.cc: a float network for TensorFlow Lite and the Edge TPU.
Result<int> quantize_for_tflite(const QuantizeArguments& a, Console& console);
// cmd_max78.cc: a checkpoint for the MAX78000 or MAX78002.
Result<int> quantize_checkpoint(const QuantizeArguments& a, Console& console);

}  // namespace edgetwin::cli
