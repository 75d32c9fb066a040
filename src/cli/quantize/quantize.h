// `quantize` by kind of network.
#pragma once

#include <string>
#include <vector>

#include "cli/quantize/arguments.h"
#include "cli/shared/console.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::cli {

// tflite.cc: a float network for TensorFlow Lite and the Edge TPU.
Result<int> quantize_for_tflite(const QuantizeArguments& a, Console& console);
// max78.cc: a float network for the MAX78000 or MAX78002.
Result<int> quantize_for_max78(const QuantizeArguments& a, Console& console);
// checkpoint.cc: a checkpoint for the MAX78000 or MAX78002.
Result<int> quantize_checkpoint(const QuantizeArguments& a, Console& console);

// --- What they share: onnx.cc.
// The arguments of a float network; findings go to the console. Error: usage.
Result<twin::QuantizeRun> run_of(const QuantizeArguments& a, Console& console);
// What was done, for people; nothing with -q.
void summary(const std::string& text, Console& console);

}  // namespace edgetwin::cli
