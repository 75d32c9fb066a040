// `run --as-quantized`.
#pragma once

#include "cli/run/arguments.h"
#include "cli/shared/console.h"
#include "edgetwin/inputs.h"
#include "edgetwin/network.h"
#include "edgetwin/runner.h"

namespace edgetwin::cli {

// Computes once more with additions in real numbers and prints how far the chip's outputs are from
// these; into `folder`, if there is one, as_quantized_0.npy, ... Errors: usage where no
// addition has unequal exponents, those of the runner.
Status show_as_quantized(const RunArguments& a, const Network& network, const Inputs& inputs,
                         const Run& chip, AtomicFolder* folder, Console& console);

}  // namespace edgetwin::cli
