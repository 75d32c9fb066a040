// Estimates beside the published times of the networks at hand, and the fits done again: the table
// of docs/estimate.md. The data folder is the one of the golden tests.
#pragma once

#include <string>

#include "base/result.h"

namespace edgetwin::twin {

// Markdown. Errors: those of reading; bad_value where a published row is missing.
Result<std::string> residual_tables(const std::string& data_folder);

}  // namespace edgetwin::twin
