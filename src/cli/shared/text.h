// Numbers in the texts of several verbs.
#pragma once

#include <string>

#include "report/format.h"

namespace edgetwin::cli {

// "12,345"
inline std::string count_text(size_t n) { return report::count_text(static_cast<int64_t>(n)); }

// "1 transfer", "12,345 transfers"
inline std::string plural(size_t n, const std::string& noun) {
  return count_text(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace edgetwin::cli
