// `check` by kind of file.
#pragma once

#include "base/bytes.h"
#include "cli/check/arguments.h"

namespace edgetwin::cli {

// A compiled Edge TPU model.
Result<int> check_edgetpu(const CheckArguments& a, ByteSpan data, Console& console);
// A network description of the MAX78000 or MAX78002.
Result<int> check_max78(const CheckArguments& a, Console& console);

}  // namespace edgetwin::cli
