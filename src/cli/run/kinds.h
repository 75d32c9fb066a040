// `run` where an Edge TPU computes, and of streams.
#pragma once

#include "base/bytes.h"
#include "cli/run/arguments.h"

namespace edgetwin::cli {

// A compiled model on a device, --device.
Result<int> run_on_device(const RunArguments& a, ByteSpan data, Console& console);
// A compiled model in the machine, --machine.
Result<int> run_on_machine(const RunArguments& a, ByteSpan data, Console& console);
// A stream of samples through a network on the twin, --stream.
Result<int> run_on_stream(const RunArguments& a, Console& console);

// A bitstream or an executable by itself, on the machine or a device.
Result<int> run_raw_program(const RunArguments& a, ByteSpan data, Console& console);

}  // namespace edgetwin::cli
