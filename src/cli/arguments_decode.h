// The options of `run --decode`.
#pragma once

#include "cli/arguments.h"

namespace CLI {
class App;
}

namespace edgetwin::cli {

void add_decode(CLI::App* verb, RunArguments& a);

}  // namespace edgetwin::cli
