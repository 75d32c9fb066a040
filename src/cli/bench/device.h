// `bench --device`.
#pragma once

#include "cli/bench/arguments.h"

namespace edgetwin::cli {

Result<int> bench_on_device(const BenchArguments& a, Console& console);

}  // namespace edgetwin::cli
