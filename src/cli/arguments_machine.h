// Options of the machine that executes compiled Edge TPU models: declared in a file of their own.
#pragma once

#include "cli/arguments.h"

namespace CLI {
class App;
}

namespace edgetwin::cli {

void add_run_machine(CLI::App* verb, RunArguments& a);

}  // namespace edgetwin::cli
