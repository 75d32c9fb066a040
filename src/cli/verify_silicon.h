// `verify --silicon`: the twin against results that were recorded on devices.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"

namespace edgetwin::cli {

Result<int> verify_silicon(const VerifyArguments& arguments, const std::vector<std::string>& words,
                           Console& console);

}  // namespace edgetwin::cli
