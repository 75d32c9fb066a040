// Parts of log_files.
#pragma once

#include <string>

#include "targets/max78/place/plan.h"

namespace edgetwin::max78 {

// Without leading zeros and prefix.
std::string log_hex(uint64_t value);
// config.csv.
std::string config_csv(const Plan& plan);

}  // namespace edgetwin::max78
