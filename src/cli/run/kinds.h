// `run` where the twin's graph does not compute.
#pragma once

#include "base/bytes.h"
#include "cli/run/arguments.h"

namespace edgetwin::cli {

// A compiled model on an Edge TPU, --device.
Result<int> run_on_device(const RunArguments& a, ByteSpan data, Console& console);
// A network description of the MAX78000 or MAX78002.
Result<int> run_max78(const RunArguments& a, Console& console);

}  // namespace edgetwin::cli
