// The options of `verify --silicon`.
#pragma once

#include "cli/arguments.h"

namespace CLI {
class App;
}

namespace edgetwin::cli {

void add_silicon_verify(CLI::App* verb, VerifyArguments& a);

}  // namespace edgetwin::cli
