// The table of all verbs.
#pragma once

#include <vector>

#include "cli/shared/verb.h"

namespace edgetwin::cli {

// In the order of the help.
const std::vector<Verb>& verbs();

}  // namespace edgetwin::cli
