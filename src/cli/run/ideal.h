// `run --mode ideal`.
#pragma once

#include "base/bytes.h"
#include "cli/run/arguments.h"
#include "cli/shared/console.h"
#include "edgetwin/network.h"

namespace edgetwin::cli {

// The model with its look-ups computed by formula. Errors: usage where it has none, those of
// reading.
Result<Network> open_ideal(const RunArguments& a, ByteSpan data, Console& console);

}  // namespace edgetwin::cli
