// `quantize` by kind of network.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/quantize/arguments.h"
#include "cli/shared/console.h"
#include "graph/graph.h"
#include "quantize/espdl/quantize.h"

namespace edgetwin::cli {

// onnx.cc: a float network for ESP-DL.
Result<int> quantize_network(const QuantizeArguments& a, Console& console);
// tflite.cc: a float network for TensorFlow Lite and the Edge TPU.
Result<int> quantize_for_tflite(const QuantizeArguments& a, Console& console);
// max78.cc: a float network for the MAX78000 or MAX78002.
Result<int> quantize_for_max78(const QuantizeArguments& a, Console& console);
// checkpoint.cc: a checkpoint for the MAX78000 or MAX78002.
Result<int> quantize_checkpoint(const QuantizeArguments& a, Console& console);

// --- What they share: onnx.cc.
// The float network, with its findings printed, and the samples of --calibrate.
Result<Model> read_float_network(const QuantizeArguments& a, Console& console);
Result<std::vector<quantize::Sample>> read_samples(const QuantizeArguments& a, const Graph& graph);
// NAME=NUMBERS at the last '='. Error: usage.
Result<std::pair<std::string, std::string>> named(const std::string& word, const char* option);
Result<std::vector<int64_t>> numbers(const std::string& text, const char* option);
// What was done, for people; nothing with -q.
void summary(const std::string& text, Console& console);
std::string joined(const std::vector<std::string>& words);

}  // namespace edgetwin::cli
